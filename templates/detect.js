"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // A test may be folded, or hidden by the filter. A link to it shows it.
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    if (target.closest("[hidden]")) { form.reset(); apply(); }
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    target.scrollIntoView();
  };

  const form = document.getElementById("find");
  const causes = all("article").map((section) => ({
    section,
    link: document.querySelector(`[data-cause="${section.id}"]`),
    head: section.querySelector("header").textContent.toLowerCase(),
    state: all(".state, .state + p", section).map((e) => e.textContent).join(" ").toLowerCase(),
    filter: section.dataset.filter.split(" "),
    tests: all(".test", section).map((e) => ({ e, text: e.textContent.toLowerCase() })),
  }));
  const rows = all("[data-test]");
  const total = causes.reduce((n, c) => n + c.tests.length, 0);

  const apply = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    const filter = form.elements.filter ? form.elements.filter.value : "";
    const shown = new Set();
    for (const c of causes) {
      const wanted = !filter || c.filter.includes(filter);
      const whole = c.head.includes(text) || c.state.includes(text);
      let any = false;
      for (const t of c.tests) {
        const show = wanted && (whole || t.text.includes(text));
        t.e.hidden = !show;
        if (show) { shown.add(t.e.id); any = true; }
      }
      c.section.hidden = !any;
      if (c.link) c.link.hidden = !any;
    }
    for (const r of rows) r.hidden = !shown.has(r.dataset.test);
    document.getElementById("found").textContent = `${shown.size} of ${total} ${total === 1 ? "test" : "tests"} shown`;
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (e) => e.preventDefault());
    apply();
  }
  window.addEventListener("hashchange", reveal);
  reveal();

  for (const button of all(".command button")) {
    const code = button.parentElement.querySelector("code");
    const label = button.getAttribute("aria-label");
    const say = (text) => {
      button.textContent = text;
      button.setAttribute("aria-label", text);
      setTimeout(() => { button.textContent = "Copy"; button.setAttribute("aria-label", label); }, 2000);
    };
    const select = () => { getSelection().selectAllChildren(code); say("Selected"); };
    button.hidden = false;
    button.addEventListener("click", () => {
      if (!navigator.clipboard) return select();
      navigator.clipboard.writeText(code.textContent).then(() => say("Copied"), select);
    });
  }
})();
