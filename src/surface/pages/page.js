// What makes the explorer quicker to use. Every page works without it: links and forms lead to the same addresses.
'use strict';
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const say = text => { $('.live').textContent = text; };

  // Pages of the explorer lie below a market; files, forms that change something and other places are left to the browser.
  const isOurs = url => url.origin === location.origin && /^\/(india|us)(\/|$)/.test(url.pathname) && !/\.(csv|arrow|xlsx)$/.test(url.pathname);

  // A view that is left remembers how far it was scrolled; the way back restores that, once the content is there.
  history.scrollRestoration = 'manual';
  const leave = () => history.replaceState({ top: scrollY }, '');
  addEventListener('pagehide', leave);
  if (history.state) addEventListener('load', () => scrollTo(0, history.state.top));

  let asking = null;
  async function visit(address, isNew, top = 0) {
    if (asking) asking.abort();
    const mine = asking = new AbortController();
    $('main').setAttribute('aria-busy', 'true');
    try {
      const reply = await fetch(address, { signal: mine.signal, credentials: 'same-origin' });
      const type = reply.headers.get('content-type') || '';
      if (!isOurs(new URL(reply.url)) || !type.startsWith('text/html')) { location.assign(address); return; }
      const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
      const main = $('main', page);
      if (!main) { location.assign(address); return; }
      if (isNew) { leave(); history.pushState(null, '', reply.url + new URL(address).hash); }
      shown = view();
      document.title = page.title;
      for (const selector of ['main', '.top', '.menu-box', '.foot']) {
        const now = $(selector), next = $(selector, page);
        if (now && next) now.replaceWith(document.adoptNode(next));
      }
      prepare();
      scrollTo(0, top);
      $('main').focus({ preventScroll: true });
      say(document.title);
    } catch (error) {
      if (error.name !== 'AbortError') location.assign(address);
    }
  }

  // A step to a place within the same view leaves the view as it is.
  const view = () => location.pathname + location.search;
  let shown = view();
  addEventListener('popstate', event => {
    if (view() === shown) scrollTo(0, event.state?.top ?? scrollY);
    else visit(location.href, false, event.state?.top);
  });
  addEventListener('click', event => {
    const link = event.target.closest('a[href]');
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.href instanceof SVGAnimatedString ? link.href.baseVal : link.href, location.href);
    const isPlace = url.pathname === location.pathname && url.search === location.search && url.hash;
    if (link.hasAttribute('download') || link.hasAttribute('target') || isPlace || !isOurs(url)) return;
    event.preventDefault();
    if (link.closest('[data-screen]')) addTyped(url);
    visit(url.href, true);
  });
  // A count that is chosen beside a screen keeps what was typed and not sent.
  function addTyped(url) {
    const form = $('form.screen');
    for (const box of form ? form.querySelectorAll('input:not([type=hidden])') : []) {
      if (box.value === box.defaultValue) continue;
      if (box.value) url.searchParams.set(box.name, box.value); else url.searchParams.delete(box.name);
      if (box.name === 'query') url.searchParams.delete('without');
    }
  }
  addEventListener('submit', event => {
    const form = event.target;
    if (form.method !== 'get' || !isOurs(new URL(form.action))) return;
    event.preventDefault();
    const url = new URL(form.action), lists = new Map();
    for (const [name, value] of new FormData(form)) {
      if (value) lists.set(name, lists.has(name) ? `${lists.get(name)},${value}` : value);
    }
    url.search = new URLSearchParams([...lists]);
    visit(url.href, true);
  });

  async function copy(text) {
    try { await navigator.clipboard.writeText(text); say('Copied'); return true; } catch { return false; }
  }
  addEventListener('click', async event => {
    const button = event.target.closest('[data-copy], [data-copy-address]');
    if (!button) return;
    const text = button.hasAttribute('data-copy') ? $('pre', button.parentNode).textContent : location.href;
    if (await copy(text)) {
      const words = button.textContent;
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = words; }, 1500);
    }
  });

  addEventListener('keydown', event => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      $('[data-search]').focus();
      $('[data-search]').select();
    }
  });

  // The crosshair: bar n of a picture lies at x0 + n * step of its own units.
  function crosshair(box) {
    const svg = $('svg', box), data = JSON.parse($('script', box).textContent);
    if (!svg || !data || !data.date || !data.date.length) return;
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    line.setAttribute('class', 'crosshair');
    line.setAttribute('y1', data.top);
    line.setAttribute('y2', data.bottom);
    line.setAttribute('visibility', 'hidden');
    svg.append(line);
    const readout = $('.readout', box);
    readout.textContent = 'Arrow keys or the pointer read a bar.';
    let at = data.date.length;
    const number = value => value.toLocaleString(location.pathname.startsWith('/india') ? 'en-IN' : 'en-US');
    const change = n => n > 0 && data.close[n - 1] ? 100 * (data.close[n] / data.close[n - 1] - 1) : null;
    const read = n => [
      ...['open', 'high', 'low', 'close'].map(name => [name, data[name]?.[n]]),
      ['change', change(n), value => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}%`],
      ...Object.entries(data.averages || {}).map(([name, values]) => [name, values[n]]),
      ['volume', data.volume?.[n]], ['RS line', data.rs?.[n]],
    ];
    const words = n => read(n).filter(([, value]) => value != null).map(([name, value, say = number]) => `${name} ${say(value)}`).join(', ');
    function show(n, isSaid) {
      at = Math.max(0, Math.min(data.date.length - 1, n));
      const x = data.x0 + at * data.step;
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
      line.setAttribute('visibility', 'visible');
      readout.textContent = `${data.date[at]}: ${words(at)}`;
      if (isSaid) say(readout.textContent);
    }
    svg.addEventListener('pointermove', event => {
      const place = svg.createSVGPoint();
      place.x = event.clientX;
      place.y = event.clientY;
      const inside = place.matrixTransform(svg.getScreenCTM().inverse());
      show(Math.round((inside.x - data.x0) / data.step), false);
    });
    box.addEventListener('keydown', event => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
      const to = event.key === 'Home' ? 0 : event.key === 'End' ? data.date.length - 1 : steps && at + steps;
      if (to === undefined) return;
      event.preventDefault();
      show(to, true);
    });
  }

  function prepare() {
    $$('[data-copy], [data-copy-address]').forEach(button => { button.hidden = !navigator.clipboard; });
    $$('[data-crosshair]').forEach(crosshair);
  }
  prepare();
})();
