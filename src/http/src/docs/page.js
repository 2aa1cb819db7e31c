"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const key = document.getElementById("key");
  const find = document.getElementById("find");
  const nothing = document.getElementById("nothing");
  const articles = all("article");

  // The key lives as long as the tab and goes into a header, never into a URL.
  try { key.value = sessionStorage.getItem("key") || ""; } catch { /* storage may be forbidden */ }
  key.addEventListener("input", () => { try { sessionStorage.setItem("key", key.value); } catch { /* as above */ } });

  const url = (form) => {
    const query = new URLSearchParams();
    for (const field of all("[name]", form)) if (field.value.trim() !== "") query.append(field.name, field.value);
    const text = query.toString();
    return form.dataset.path + (text ? "?" + text : "");
  };
  const showCommand = (form) => {
    const quoted = (location.origin + url(form)).replaceAll("'", "'\\''");
    const keyed = "open" in form.dataset ? "" : "-H 'X-Api-Key: <API_KEY>' ";
    form.querySelector(".command").textContent = `curl ${keyed}'${quoted}'`;
  };
  const pretty = (text) => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };

  const send = async (form) => {
    const [button, state, output] = [".go", ".state", ".output"].map((part) => form.querySelector(part));
    button.disabled = true;
    state.className = "state";
    state.textContent = "asking …";
    const started = performance.now();
    try {
      const headers = key.value ? { "X-Api-Key": key.value } : {};
      const response = await fetch(url(form), { headers, cache: "no-store" });
      const isText = !/arrow/.test(response.headers.get("Content-Type"));
      const text = isText ? await response.text() : `${(await response.arrayBuffer()).byteLength} bytes of Arrow`;
      const took = performance.now() - started;
      state.textContent = `${response.status} · ${took.toFixed(1)} ms · ${text.length.toLocaleString("en-GB")} characters`;
      state.classList.toggle("bad", !response.ok);
      output.textContent = pretty(text);
    } catch (error) {
      state.textContent = String(error);
      state.classList.add("bad");
      output.textContent = "";
    }
    output.hidden = output.textContent === "";
    button.disabled = false;
  };

  for (const form of all("form")) {
    showCommand(form);
    form.addEventListener("input", () => showCommand(form));
    form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
    form.querySelector(".copy").addEventListener("click", () =>
      navigator.clipboard?.writeText(form.querySelector(".command").textContent));
  }

  const words = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const alone = all("main article").length === 1;
  const filterLinks = (wanted) => {
    for (const link of all("nav a")) {
      const text = `${link.textContent} ${link.title}`.toLowerCase();
      link.hidden = !wanted.every((word) => text.includes(word));
    }
    for (const list of all("nav div")) list.hidden = !list.querySelector("a:not([hidden])");
  };
  const filter = () => {
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    // A page of one operation has nothing to hide but the ways to others.
    if (alone) return filterLinks(wanted);
    let shown = 0;
    for (const article of articles) {
      const hit = wanted.every((word) => words.get(article).includes(word));
      article.hidden = !hit;
      const link = links.get(article.id);
      if (link) link.hidden = !hit;
      if (hit) shown += 1;
    }
    for (const group of all("section.of")) group.hidden = !group.querySelector("article:not([hidden])");
    for (const list of all("nav div")) list.hidden = !list.querySelector("a:not([hidden])");
    nothing.hidden = shown > 0;
  };
  find.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) { event.preventDefault(); find.focus(); }
    if (event.key === "Escape" && document.activeElement === find) { find.value = ""; filter(); }
  });
})();
