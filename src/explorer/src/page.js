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
  async function visit(address, isNew, top = 0, isAgain = false) {
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
      lookAgain(reply.headers.get('refresh'));
      if (isAgain) return;
      $('main').focus({ preventScroll: true });
      say(document.title);
    } catch (error) {
      if (error.name !== 'AbortError') location.assign(address);
    }
  }

  // A page that is to be asked again says after how many seconds.
  let again = 0;
  function lookAgain(seconds) {
    clearTimeout(again);
    if (Number(seconds) > 0) again = setTimeout(() => visit(location.href, false, scrollY, true), 1000 * seconds);
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
    const form = event.target, by = event.submitter;
    const url = new URL(by?.hasAttribute('formaction') ? by.formAction : form.action), lists = new Map();
    if ((by?.formMethod || form.method) !== 'get' || !isOurs(url)) return;
    event.preventDefault();
    for (const [name, value] of new FormData(form, by)) {
      // A form that was shown without a sentence says so.
      if (value || name === 'said') lists.set(name, lists.has(name) ? `${lists.get(name)},${value}` : value);
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

  // The search offers companies of both markets, lists, pages and things to do: a combobox, whose list follows what is typed.
  const search = () => $('[data-search]'), list = () => $('.suggestions');
  let offered = [], chosen = -1, typing = null;
  function choose(n) {
    chosen = n;
    $$('[role=option]', list()).forEach((option, at) => {
      option.setAttribute('aria-selected', at === n);
      if (at === n) option.scrollIntoView({ block: 'nearest' });
    });
    if (n < 0) search().removeAttribute('aria-activedescendant');
    else search().setAttribute('aria-activedescendant', `suggestion-${n}`);
  }
  function offer(found) {
    offered = found;
    list().setAttribute('role', 'listbox');
    list().replaceChildren(...found.map(({ label, detail }, n) => {
      const option = document.createElement('li'), more = document.createElement('small');
      option.id = `suggestion-${n}`;
      option.setAttribute('role', 'option');
      option.dataset.at = n;
      more.textContent = detail;
      option.append(label, ' ', more);
      return option;
    }));
    list().hidden = !found.length;
    search().setAttribute('aria-expanded', Boolean(found.length));
    choose(-1);
  }
  async function suggest() {
    if (typing) typing.abort();
    const mine = typing = new AbortController();
    const [, market, company] = location.pathname.match(/^\/(india|us)(?:\/company\/([^/]+))?/) || [];
    const asked = new URLSearchParams({ q: search().value, at: decodeURIComponent(company || '') });
    try {
      const reply = await fetch(`/${market || 'india'}/suggest?${asked}`, { signal: mine.signal, credentials: 'same-origin' });
      const found = reply.ok ? await reply.json() : [];
      if (typing === mine && document.activeElement === search()) offer(found);
    } catch (error) {
      if (error.name !== 'AbortError') offer([]);
    }
  }
  function follow(n) {
    const { href } = offered[n];
    offer([]);
    visit(new URL(href, location.href).href, true);
  }
  addEventListener('input', event => { if (event.target === search()) suggest(); });
  addEventListener('focusout', event => { if (event.target === search()) offer([]); });
  // A press would take the focus, and with it the list, away before the click.
  addEventListener('mousedown', event => { if (event.target.closest('.suggestions')) event.preventDefault(); });
  addEventListener('click', event => {
    const option = event.target.closest('.suggestions [role=option]');
    if (option) follow(Number(option.dataset.at));
  });
  addEventListener('keydown', event => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isPalette = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (search() && (isPalette || event.key === '/' && !isTyping && isPlain)) {
      event.preventDefault();
      search().focus();
      search().select();
      suggest();
    } else if (event.target === search() && offered.length) {
      // Above the first and below the last is what was typed.
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], places = offered.length + 1;
      if (step) choose((chosen + 1 + step + places) % places - 1);
      else if (event.key === 'Enter' && chosen >= 0) follow(chosen);
      else if (event.key === 'Escape') offer([]);
      else return;
      event.preventDefault();
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
    readout.title = 'Arrow keys or the pointer read a bar.';
    let at = data.date.length;
    const number = value => value.toLocaleString(location.pathname.startsWith('/india') ? 'en-IN' : 'en-US');
    const change = n => n > 0 && data.close[n - 1] ? 100 * (data.close[n] / data.close[n - 1] - 1) : null;
    const read = n => [
      ...['open', 'high', 'low', 'close'].map(name => [name, data[name]?.[n]]),
      ['change', change(n), value => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}%`],
      ...Object.entries(data.averages || {}).map(([name, values]) => [name, values[n]]),
      ['RS rating', data.rating?.[n]], ['volume', data.volume?.[n]], ['RS line', data.rs?.[n]],
    ];
    const words = n => read(n).filter(([, value]) => value != null).map(([name, value, say = number]) => `${name} ${say(value)}`).join(', ');
    const told = n => `${data.date[n]}: ${words(n)}`;
    readout.textContent = told(at - 1);
    function show(n, isSaid) {
      at = Math.max(0, Math.min(data.date.length - 1, n));
      const x = data.x0 + at * data.step;
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
      line.setAttribute('visibility', 'visible');
      readout.textContent = told(at);
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
    const box = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': 'suggestions', 'aria-haspopup': 'listbox' };
    for (const name in box) search()?.setAttribute(name, box[name]);
    $$('[data-copy], [data-copy-address]').forEach(button => { button.hidden = !navigator.clipboard; });
    $$('[data-crosshair]').forEach(crosshair);
    // Commands name the usual address; this page knows the one that it came from.
    $$('.command code').forEach(code => { code.textContent = code.textContent.replace('http://127.0.0.1:8080', location.origin); });
  }
  prepare();
})();
