"use strict";
(() => {
  const one = (selector, root) => (root || document).querySelector(selector);
  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

  // Theme: what the system says until a person chooses.
  const root = document.documentElement, theme = one("#theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const paint = () => theme.setAttribute("aria-pressed", String(dark()));
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; paint(); });
  paint();

  // Findings: filters.
  const form = one("#filters"), findings = all(".finding");
  const chosen = name => new Set(all(`input[name="${name}"]:checked`, form).map(box => box.value));
  function filter() {
    const words = one("#q").value.toLowerCase().split(/\s+/).filter(Boolean), model = one("#model").value;
    const levels = chosen("level"), confidences = chosen("confidence"), states = chosen("state");
    let shown = 0;
    for (const item of findings) {
      const text = item.textContent.toLowerCase(), data = item.dataset;
      const visible = levels.has(data.level) && confidences.has(data.confidence) && states.has(data.state)
        && (!model || data.model === model) && words.every(word => text.includes(word));
      item.hidden = !visible;
      shown += visible;
    }
    one("#shown").textContent = findings.length ? `${shown} of ${findings.length}` : "";
    one("#none").hidden = shown > 0 || !findings.length;
  }
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { all('input[name="state"]', form).forEach(box => { box.checked = true; }); filter(); }));
  filter();
  if (location.hash.startsWith("#f-")) { const target = document.getElementById(location.hash.slice(1)); if (target) { target.hidden = false; target.open = true; target.scrollIntoView(); } }

  // Graphs: pan, zoom, search, details.
  const canvas = one("#canvas");
  if (!canvas) return;
  const select = one("#graph"), find = one("#find"), panel = one("#layer");
  const views = new Map();
  let current = null;
  const view = () => views.get(current);
  const apply = () => { const v = view(); current.style.transform = `translate(${v.x}px, ${v.y}px) scale(${v.k})`; };
  function fit() {
    const svg = one("svg", current), box = canvas.getBoundingClientRect();
    const width = svg.width.baseVal.value || 1, height = svg.height.baseVal.value || 1;
    let k = Math.min(box.width / width, box.height / height, 1.5);
    // A tall graph is opened at a readable size, from its top; Fit a second time shows the whole of it.
    if (k < 0.45 && !(view() && view().whole)) k = Math.min(box.width / width, 0.8); else k = Math.min(box.width / width, box.height / height, 1.5);
    const whole = !(view() && view().whole);
    views.set(current, { k, x: (box.width - width * k) / 2, y: Math.max(8, (box.height - height * k) / 2) * (height * k < box.height) + 8 * (height * k >= box.height), whole });
    apply();
  }
  function zoom(factor, cx, cy) {
    const v = view(), box = canvas.getBoundingClientRect();
    const px = cx === undefined ? box.width / 2 : cx - box.left, py = cy === undefined ? box.height / 2 : cy - box.top;
    const k = Math.min(8, Math.max(0.05, v.k * factor)), scale = k / v.k;
    v.x = px - (px - v.x) * scale; v.y = py - (py - v.y) * scale; v.k = k;
    apply();
  }
  function show(id) {
    current = document.getElementById("g-" + id);
    all(".drawing").forEach(graph => { graph.hidden = graph !== current; });
    select.value = id;
    if (!views.has(current)) fit(); else apply();
    search();
  }
  const data = graph => (graph._data ||= JSON.parse(graph.dataset.nodes));
  function describe(id) {
    const node = data(current)[id];
    if (!node) return;
    panel.replaceChildren();
    const heading = document.createElement("h3"), list = document.createElement("dl");
    heading.textContent = node.label;
    for (const [key, value] of node.facts) {
      const term = document.createElement("dt"), text = document.createElement("dd");
      term.textContent = key; text.textContent = value;
      list.append(term, text);
    }
    panel.append(heading, list);
    all("g.node", current).forEach(g => g.classList.toggle("chosen", g.id === id));
  }
  function centre(id) {
    const element = document.getElementById(id);
    if (!element) return;
    const v = view();
    if (v.k < 0.6) zoom(0.9 / v.k);
    const box = canvas.getBoundingClientRect(), at = element.getBoundingClientRect();
    view().x += box.left + box.width / 2 - (at.left + at.width / 2);
    view().y += box.top + box.height / 2 - (at.top + at.height / 2);
    apply();
  }
  function search() {
    const word = find.value.trim().toLowerCase(), nodes = data(current);
    const hits = Object.keys(nodes).filter(id => word && (nodes[id].label + " " + nodes[id].facts.map(f => f[1]).join(" ")).toLowerCase().includes(word));
    all("g.node", current).forEach(g => g.classList.toggle("missed", !!word && !hits.includes(g.id)));
    one("#found").textContent = word ? `${hits.length} found` : "";
    return hits;
  }
  let turn = 0;
  find.addEventListener("input", () => { turn = 0; const hits = search(); if (hits.length) { centre(hits[0]); describe(hits[0]); } });
  find.addEventListener("keydown", event => { if (event.key === "Enter") { event.preventDefault(); const hits = search(); if (hits.length) { turn = (turn + 1) % hits.length; centre(hits[turn]); describe(hits[turn]); } } });
  select.addEventListener("change", () => show(select.value));
  all("[data-zoom]").forEach(button => button.addEventListener("click", () => { const factor = Number(button.dataset.zoom); factor ? zoom(factor) : fit(); }));
  canvas.addEventListener("wheel", event => { event.preventDefault(); zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY); }, { passive: false });
  let drag = null;
  canvas.addEventListener("pointerdown", event => { drag = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId }; });
  canvas.addEventListener("pointermove", event => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) canvas.setPointerCapture(drag.id);
    drag.moved = true; view().x += dx; view().y += dy; drag.x = event.clientX; drag.y = event.clientY; apply();
  });
  const release = () => { setTimeout(() => { drag = null; }); };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("keydown", event => {
    const step = 60, moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) { view().x += moves[event.key][0]; view().y += moves[event.key][1]; apply(); }
    else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });
  all("g.node", canvas).forEach(g => {
    g.setAttribute("tabindex", "0");
    g.setAttribute("role", "button");
    const graph = g.closest(".drawing"), node = data(graph)[g.id];
    if (node) g.setAttribute("aria-label", node.label);
    g.addEventListener("click", () => { if (!drag || !drag.moved) describe(g.id); });
    g.addEventListener("keydown", event => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); describe(g.id); } });
    g.addEventListener("focus", () => { if (g.matches(":focus-visible")) centre(g.id); });
  });
  all(".goto").forEach(button => button.addEventListener("click", () => { show(button.dataset.graph); canvas.scrollIntoView({ block: "center" }); centre(button.dataset.node); describe(button.dataset.node); }));
  show(select.value);
})();
