// What makes the explorer quicker to use. Every page works without it: links and forms lead to the same addresses.
'use strict';
(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, fields) => Object.assign(document.createElement(name), fields);
  // A key that neither types nor belongs to the browser.
  const isPlain = event => !event.ctrlKey && !event.metaKey && !event.altKey;
  const isCommand = event => isPlain(event) && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  const say = text => { $('.live').textContent = text; };

  // Pages of the explorer are below a market; files and other places are left to the browser.
  const isOurs = url => url.origin === location.origin && /^\/(india|us)(\/|$)/.test(url.pathname) && !/\.(csv|arrow|xlsx|json)$/.test(url.pathname);

  // A view that is left remembers how far it and its tables were scrolled; the way back restores that, once the content is there.
  history.scrollRestoration = 'manual';
  const place = () => ({ top: scrollY, boxes: $$('.scroll').map(box => box.scrollTop) });
  const leave = () => history.replaceState(place(), '');
  function scrollBack(to) {
    $$('.scroll').forEach((box, at) => { box.scrollTop = to?.boxes?.[at] ?? 0; });
    scrollTo(0, to?.top ?? 0);
  }
  addEventListener('pagehide', leave);
  if (history.state) addEventListener('load', () => scrollBack(history.state));

  let pending = null;
  // With a `body`, the visit sends a form that changes something. It is never sent again by itself: the first one may have arrived.
  async function visit(address, isNew, to = null, isReload = false, body = null) {
    pending?.abort();
    counting?.abort();
    clearTimeout(retryTimer);
    retry = null;
    const mine = pending = new AbortController();
    $('main').setAttribute('aria-busy', 'true');
    const again = () => visit(address, isNew, to, isReload, body);
    let page = null;
    try {
      const reply = await fetch(address, { signal: mine.signal, method: body ? 'POST' : 'GET', body });
      const isPage = isOurs(new URL(reply.url)) && reply.headers.get('content-type')?.startsWith('text/html');
      if (isPage) page = new DOMParser().parseFromString(await reply.text(), 'text/html');
      if (!page || !$('main', page)) {
        // A server that starts, or a proxy whose server is away, answers without a page.
        if (reply.status > 501) tellAway(again, body); else location.assign(body ? reply.url : address);
        return;
      }
      tries = 0;
      if (isNew && (!body || reply.redirected) && reply.url !== location.href) { leave(); history.pushState(null, '', reply.url + new URL(address).hash); }
      shown = view();
      document.title = page.title;
      const filter = document.activeElement?.closest('.applies') && document.activeElement.id;
      for (const selector of ['main', '.top', '.foot']) {
        const now = $(selector), next = $(selector, page);
        if (now && next) now.replaceWith(document.adoptNode(next));
      }
      prepare();
      scrollBack(to);
      reloadAfter(reply.headers.get('refresh'));
      if (isReload) return;
      (document.getElementById(filter) || $('main')).focus({ preventScroll: true });
      say(document.title);
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (page) location.assign(address); else tellAway(again, body);
    }
  }

  // While the server is away, the page stays and says so; what was requested is tried again, each time later, and at once when the browser is
  // online again.
  let retryTimer = 0, tries = 0, retry = null;
  function tellAway(again, body) {
    $('main').removeAttribute('aria-busy');
    $('.away')?.remove();
    const seconds = Math.min(60, 2 ** ++tries);
    if (!body) retryTimer = setTimeout(retry = again, 1000 * seconds);
    tell('away', `The server cannot be reached. ${body ? 'It may lack what you sent' : `Trying again in ${seconds} s`}. `, 'Try now', again);
  }
  addEventListener('online', () => retry?.());
  // A note over the page, with something to do.
  function tell(kind, words, label, act) {
    const note = make('p', { className: `over ${kind}` });
    note.append(words, make('a', { textContent: label, href: location.href, onclick: event => { event.preventDefault(); act(); } }));
    $('main').prepend(note);
    say(note.textContent);
  }

  // The reply of a page that changes by itself has the seconds until it should be reloaded.
  let reloadTimer = 0;
  function reloadAfter(seconds) {
    clearTimeout(reloadTimer);
    if (Number(seconds) > 0) reloadTimer = setTimeout(() => visit(location.href, false, place(), true), 1000 * seconds);
  }

  // An open page that is looked at learns by the minute that another set is served.
  setInterval(async () => {
    const shown = $('[data-set]')?.dataset.set;
    if (shown === undefined || document.hidden || $('.new-set') || new URLSearchParams(location.search).has('snapshot')) return;
    const market = location.pathname.split('/')[1];
    try {
      const reply = await fetch(`/${market}/set`);
      const { set, as_of } = reply.ok ? await reply.json() : {};
      if (!set || set === shown || shown !== $('[data-set]')?.dataset.set) return;
      tell('new-set', `New data, to ${as_of}. `, 'Show', () => visit(location.href, false, place(), true));
    } catch { /* The server is away, or the session has ended. */ }
  }, 60000);

  // A step to a place within the same view leaves the view as it is.
  const view = () => location.pathname + location.search;
  let shown = view();
  addEventListener('popstate', event => {
    if (view() === shown) scrollTo(0, event.state?.top ?? scrollY);
    else visit(location.href, false, event.state);
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
  const actionOf = (form, by) => new URL(by?.hasAttribute('formaction') ? by.formAction : form.action);
  // The address that a form leads to.
  function addressOf(form, by) {
    const url = actionOf(form, by), lists = new Map();
    for (const [name, value] of new FormData(form, by)) {
      // A form that was shown without a sentence says so, and an empty figure is that of the sentence.
      if (value || name === 'said' || name.startsWith('figure.')) lists.set(name, lists.has(name) ? `${lists.get(name)},${value}` : value);
    }
    url.search = new URLSearchParams([...lists]);
    return url;
  }
  addEventListener('submit', event => {
    const form = event.target, by = event.submitter, url = actionOf(form, by), isPost = (by?.formMethod || form.method) === 'post';
    // Stocks that were put into a list, or taken out of it, are done with.
    if (isPost && form.matches('.ticked')) sessionStorage.removeItem(ticksAt());
    if (event.defaultPrevented || !isOurs(url)) return;
    event.preventDefault();
    if (isPost) visit(url.href, true, place(), false, new URLSearchParams(new FormData(form, by)));
    else visit(addressOf(form, by).href, true, form.matches('.applies') ? place() : null);
  });
  // Filters apply once they are changed; a date is complete when its field is left.
  for (const kind of ['change', 'focusout']) addEventListener(kind, ({ target: box }) => {
    if (box.form?.matches('.applies') && (box.type === 'date') === (kind === 'focusout') && box.value !== box.defaultValue) box.form.requestSubmit();
  });

  // While a limit is edited, the histogram of its condition tells about how many stocks match, until the server has counted them: once
  // nothing was typed for a moment, the screen is requested with one row.
  let counting = null;
  async function count(form, output) {
    counting?.abort();
    const mine = counting = new AbortController(), url = addressOf(form);
    for (const name of ['offset', 'view', 'explain']) url.searchParams.delete(name);
    url.searchParams.set('limit', 1);
    await new Promise(later => setTimeout(later, 400));
    if (mine.signal.aborted || !output.isConnected || !form.checkValidity()) return;
    try {
      const reply = await fetch(url, { signal: mine.signal });
      const extent = $('.extent', new DOMParser().parseFromString(await reply.text(), 'text/html'));
      if (!reply.ok || !extent || counting !== mine) return;
      const matches = $('b', extent)?.textContent ?? 'none';
      output.textContent = `${matches} ${matches === '1' ? 'matches' : 'match'}`;
    } catch { /* The estimate remains. */ }
  }
  addEventListener('input', ({ target: box }) => {
    const shown = box.closest('.condition') && $('[data-bars]', box.closest('li')), output = $('output', shown || box.closest('.ranges') || box);
    if (!output) return;
    output.textContent = '';
    count(box.form, output);
    if (!shown) return;
    const [hasSmallest, from, width, ...counts] = shown.dataset.bars.split(' ').map(Number);
    const below = at => Math.max(0, Math.min(1, (box.value - from) / width - at));
    const matches = counts.reduce((sum, count, at) => sum + count * (hasSmallest ? 1 - below(at) : below(at)), 0);
    output.textContent = `about ${Math.round(matches)} match`;
  });

  // Ticks outlive another order, other rows of the list and the way back. Those of rows out of view are hidden fields of their form.
  const ticksAt = () => `ticks ${location.pathname} ${new URLSearchParams(location.search).get('list') || ''}`;
  const ticks = () => new Set(JSON.parse(sessionStorage.getItem(ticksAt()) || '[]'));
  function tick(symbols) {
    sessionStorage.setItem(ticksAt(), JSON.stringify([...symbols]));
    for (const form of $$('form.ticked')) {
      const rest = new Set(symbols);
      for (const box of $$(`.tick[form="${form.id}"]`)) box.checked = rest.delete(box.value);
      $$('[type=hidden][name=symbols]', form).forEach(field => field.remove());
      for (const value of rest) form.append(make('input', { type: 'hidden', name: 'symbols', value }));
      form.classList.toggle('some', symbols.size);
      $('span', form).textContent = symbols.size ? `${symbols.size} ticked:` : 'Ticked rows:';
      $('[data-untick]', form).hidden = !symbols.size;
    }
    for (const all of $$('.tick-all')) {
      all.hidden = false;
      all.checked = ticksBy(all).every(box => box.checked);
    }
  }
  const ticksBy = box => (box.matches('.tick-all') ? $$('.tick', box.closest('table')) : [box]);
  addEventListener('change', ({ target: box }) => {
    if (!box.matches('.tick, .tick-all')) return;
    const symbols = ticks();
    for (const { value } of ticksBy(box)) symbols[box.checked ? 'add' : 'delete'](value);
    tick(symbols);
  });
  addEventListener('click', event => { if (event.target.closest('[data-untick]')) tick(new Set()); });

  // Spreadsheets read a hyphen as the sign of a number, and no other character.
  addEventListener('copy', event => {
    const selection = getSelection(), text = String(selection);
    if (!text.includes('−') || !selection.anchorNode?.parentElement?.closest('table, .scroll')) return;
    event.clipboardData.setData('text/plain', text.replaceAll('−', '-'));
    event.preventDefault();
  });

  async function copy(text) {
    try { await navigator.clipboard.writeText(text); say('Copied'); return true; } catch { return false; }
  }
  addEventListener('click', async event => {
    const button = event.target.closest('[data-copy], [data-copy-address]');
    if (!button) return;
    const text = button.hasAttribute('data-copy') ? $('pre', button.parentNode).textContent : location.href;
    if (await copy(text)) {
      button.classList.add('done');
      setTimeout(() => button.classList.remove('done'), 1500);
    }
  });

  // The search offers companies of both markets, lists, pages and things to do; a field of symbols offers companies of its market for what
  // is typed after its last comma. Each is a combobox, whose list follows what is typed.
  const search = () => $('[data-search]');
  const isBox = element => element.matches('[data-search], [data-symbols]');
  let box = null, offered = [], chosen = -1, typing = null;
  const list = () => $('.suggestions', box.parentNode);
  function choose(n) {
    chosen = n;
    $$('[role=option]', list()).forEach((option, at) => {
      option.setAttribute('aria-selected', at === n);
      if (at === n) option.scrollIntoView({ block: 'nearest' });
    });
    if (n < 0) box.removeAttribute('aria-activedescendant');
    else box.setAttribute('aria-activedescendant', `suggestion-${n}`);
  }
  function offer(found) {
    // What was selected stays so when a late answer brings it again.
    const selected = found.findIndex(one => one.href === offered[chosen]?.href);
    offered = found;
    list().setAttribute('role', 'listbox');
    list().replaceChildren(...found.map(({ label, detail }, n) => {
      const option = make('li', { id: `suggestion-${n}` });
      option.setAttribute('role', 'option');
      option.dataset.at = n;
      option.append(label, ' ', make('small', { textContent: detail }));
      return option;
    }));
    list().hidden = !found.length;
    if (box.hasAttribute('role')) box.setAttribute('aria-expanded', Boolean(found.length));
    choose(selected);
  }
  function close() {
    typing?.abort();
    typing = null;
    offer([]);
  }
  async function suggest(of) {
    box = of;
    typing?.abort();
    choose(-1);
    const mine = typing = new AbortController();
    const [, market, company] = location.pathname.match(/^\/(india|us)(?:\/company\/([^/]+))?/) || [];
    const isSymbols = 'symbols' in box.dataset;
    const query = new URLSearchParams({ q: isSymbols ? box.value.split(',').pop() : box.value, at: decodeURIComponent(company || '') });
    if (isSymbols) query.set('only', 'companies');
    try {
      const reply = await fetch(`/${market || 'india'}/suggest?${query}`, { signal: mine.signal });
      const all = reply.ok ? await reply.json() : [];
      // After a whole symbol nothing is left to choose, and the list would cover what is below.
      const typed = query.get('q').trim().toUpperCase();
      const found = isSymbols && all.some(({ label }) => label === typed) ? [] : all;
      if (typing === mine && document.activeElement === box) offer(found);
    } catch (error) {
      if (error.name !== 'AbortError') offer([]);
    }
  }
  function follow(n) {
    const { href, label } = offered[n];
    close();
    if (!('symbols' in box.dataset)) { visit(new URL(href, location.href).href, true); return; }
    const before = box.value.split(',').slice(0, -1).map(item => `${item.trim()}, `).join('');
    box.value = before + label + (box.dataset.symbols === 'list' ? ', ' : '');
    box.focus();
  }
  addEventListener('input', event => { if (isBox(event.target)) suggest(event.target); });
  addEventListener('focusout', event => { if (event.target === box) close(); });
  // A press would take the focus, and with it the list, away before the click.
  addEventListener('mousedown', event => { if (event.target.closest('.suggestions')) event.preventDefault(); });
  addEventListener('click', event => {
    const option = event.target.closest('.suggestions [role=option]');
    if (option) follow(Number(option.dataset.at));
  });
  addEventListener('keydown', event => {
    const isPalette = event.key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (search() && (isPalette || event.key === '/' && isCommand(event))) {
      event.preventDefault();
      search().focus();
      search().select();
      suggest(search());
    } else if (event.target === box && offered.length) {
      // Above the first and below the last is what was typed.
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], places = offered.length + 1;
      if (step) choose((chosen + 1 + step + places) % places - 1);
      else if (event.key === 'Enter' && chosen >= 0) follow(chosen);
      else if (event.key === 'Escape') close();
      else return;
      event.preventDefault();
    }
  });
  // A field of symbols gets a list as the search has one.
  function prepareBoxes() {
    $$('[data-symbols]').forEach(field => {
      const options = make('ul', { className: 'suggestions', id: `${field.id}-suggestions`, hidden: true });
      options.setAttribute('aria-label', 'Companies');
      field.after(options);
    });
    for (const field of $$('[data-search], [data-symbols]')) {
      const roles = { 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox' };
      // A field of several lines has no other role.
      if (field.tagName === 'INPUT') Object.assign(roles, { role: 'combobox', 'aria-expanded': 'false' });
      for (const name in roles) field.setAttribute(name, roles[name]);
      field.setAttribute('aria-controls', $('.suggestions', field.parentNode).id);
    }
  }

  // Values of a picture that has steps, read by the pointer, a finger or keys: step n is at x0 + n * step, in units of the picture.
  const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
  function dated(at) {
    const [, year, month, date] = at.match(/^(\d{4})-(\d\d)-(\d\d)$/) || [];
    return year ? `${Number(date)} ${MONTHS[month - 1]} ${year}` : at;
  }
  function written({ before, decimals, after, signed }, value) {
    if (value == null) return '–';
    const places = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const digits = Math.abs(value).toLocaleString(location.pathname.startsWith('/india') ? 'en-IN' : 'en-US', places);
    const sign = !/[1-9]/.test(digits) ? '' : value < 0 ? '−' : signed ? '+' : '';
    return sign + before + digits + after;
  }
  function addShape(name, svg, attributes) {
    const shape = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const key in attributes) shape.setAttribute(key, attributes[key]);
    return svg.appendChild(shape);
  }
  const read = figures => figures.series.filter(one => one.key !== 'level');
  function figuresOf(form) {
    const figures = JSON.parse($$('script', form.parentNode)[form.dataset.values].textContent);
    const of = key => figures.series.find(one => one.key === key), change = of('change'), closes = of('close')?.values;
    if (change) change.values = closes.map((close, n) => (n && closes[n - 1] ? 100 * (close / closes[n - 1] - 1) : null));
    return figures;
  }
  function show(readout, figures, n) {
    const texts = [dated(figures.at[n]), ...read(figures).map(one => written(one, one.values[n]))];
    $$('dd', readout).forEach((cell, place) => { cell.textContent = texts[place]; });
  }
  const readoutWords = readout => $$('div', readout).map(cell => `${$('dt', cell).textContent} ${$('dd', cell).textContent}`).join(', ');
  // The step that a key leads to; undefined for other keys.
  function stepBy(key, n, last) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[key];
    return key === 'Home' ? 0 : key === 'End' ? last : by && Math.max(0, Math.min(last, n + by));
  }
  // A box with what is read, on the side of a place of a picture that has more room.
  const tip = make('div', { className: 'tip' });
  tip.setAttribute('aria-hidden', 'true');
  function showTip(form, x, y, ...content) {
    const box = form.getBoundingClientRect();
    tip.replaceChildren(...content);
    form.append(tip);
    Object.assign(tip.style, { left: `${x - box.left}px`, top: `${y - box.top}px`, translate: 2 * (x - box.left) > box.width ? 'calc(-100% - 12px)' : '12px' });
  }
  // What a shape says of itself is beside it at once. A finger reads it by a tap, and opens what is behind it by the next.
  let said = null, isFirstTap = false;
  for (const kind of ['pointerover', 'pointerdown']) addEventListener(kind, ({ target, clientX, clientY, pointerType }) => {
    const shape = target.closest?.('.picture :is([data-said], a:has(> title), g:has(> title))') ?? null, title = shape && $(':scope > title', shape);
    const isFinger = pointerType !== 'mouse';
    if (title) {
      shape.dataset.said = title.textContent;
      shape.setAttribute('aria-label', title.textContent);
      if (!shape.href) shape.setAttribute('role', 'img');
      title.remove();
    }
    isFirstTap = isFinger && shape?.href && said !== shape;
    if (said === shape || isFinger && kind === 'pointerover') return;
    if (said) tip.remove();
    said = shape;
    if (said) showTip(said.closest('.picture-form'), clientX, clientY + 12, said.dataset.said);
  });
  addEventListener('click', event => { if (isFirstTap && said?.contains(event.target)) event.preventDefault(); }, true);

  function readable(form) {
    const svg = $('svg', form), readout = $('.readout', form);
    let figures = null, upright, level, price, n = 0;
    const { x0, step, top, bottom, axis } = JSON.parse(form.dataset.places);
    function begin() {
      figures = figuresOf(form);
      n = figures.at.length;
      upright = addShape('line', svg, { class: 'crosshair', y1: top, y2: bottom });
      if (!axis) return;
      level = addShape('line', svg, { class: 'crosshair', x1: x0 - step / 2, x2: axis.right, visibility: 'hidden' });
      price = addShape('text', svg, { class: 'price-read', x: axis.right + 5, visibility: 'hidden' });
    }
    function point(to) {
      n = Math.max(0, Math.min(figures.at.length - 1, to));
      for (const end of ['x1', 'x2']) upright.setAttribute(end, x0 + n * step);
      show(readout, figures, n);
      upright.setAttribute('visibility', 'visible');
      const at = new DOMPoint(x0 + n * step, top).matrixTransform(svg.getScreenCTM());
      showTip(form, at.x, at.y, ...readout.cloneNode(true).children, said?.dataset.said ?? '');
    }
    // Without a pointer on it, the picture is as it was.
    function rest() {
      if (!figures) return;
      for (const shape of [upright, level, price]) shape?.setAttribute('visibility', 'hidden');
      tip.remove();
      show(readout, figures, figures.at.length - 1);
    }
    // The price at the height of the pointer, on the axis.
    function showPrice(y) {
      const share = (y - axis.from) / (axis.to - axis.from), isPrice = share >= 0 && share <= 1;
      for (const shape of [level, price]) shape.setAttribute('visibility', isPrice ? 'visible' : 'hidden');
      for (const end of ['y1', 'y2']) level.setAttribute(end, y);
      price.setAttribute('y', y + 4);
      const value = axis.log ? axis.low * (axis.high / axis.low) ** share : axis.low + share * (axis.high - axis.low);
      price.textContent = written(figures.series[0], value);
    }
    for (const kind of ['pointermove', 'pointerdown']) svg.addEventListener(kind, event => {
      if (!figures) begin();
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      point(Math.round((x - x0) / step));
      if (axis) showPrice(y);
    });
    svg.addEventListener('pointerleave', ({ pointerType }) => { if (pointerType === 'mouse') rest(); });
    form.addEventListener('focusout', rest);
    form.addEventListener('keydown', event => {
      if (!isPlain(event)) return;
      if (!figures) begin();
      const to = stepBy(event.key, n, figures.at.length - 1);
      if (to === undefined) return;
      event.preventDefault();
      point(to);
      say(readoutWords(readout));
    });
  }

  // The code of an interactive chart is loaded by the first page that has one.
  let library = null;
  function live(figure) {
    library ??= new Promise((loaded, failed) => {
      document.head.append(make('script', { src: figure.dataset.live, onload: loaded, onerror: failed }));
    });
    library.then(() => window.liveChart(figure, { say, figuresOf, show, readoutWords, stepBy, written, dated }), () => { library = null; });
  }

  // The list that a company was opened from: its symbols in their order, stored for the visit. On the pages of a company `[` and `]`, or j
  // and k, lead to the stock before and after, in the same view.
  const COMPANY = /^(\/(?:india|us)\/company\/)([^/]+)(.*)$/;
  const symbolOf = path => decodeURIComponent(path.match(COMPANY)?.[2] ?? '');
  addEventListener('click', event => {
    const rows = event.target.closest('main :is(table, .charts) a[href]')?.closest('tbody, .charts');
    if (!rows || symbolOf(location.pathname)) return;
    const symbols = $$('a[href*="/company/"]', rows).map(link => symbolOf(link.pathname));
    const list = { market: location.pathname.split('/')[1], title: $('h1').textContent, href: location.href, symbols: [...new Set(symbols)] };
    if (list.symbols.length > 1) sessionStorage.setItem('list', JSON.stringify(list));
  }, true);
  function neighbours() {
    const [, start, , rest] = location.pathname.match(COMPANY) || [], list = JSON.parse(sessionStorage.getItem('list') || 'null');
    const n = list?.symbols.indexOf(symbolOf(location.pathname)) ?? -1;
    if (!$('.tabs') || n < 0 || !start.startsWith(`/${list.market}/`)) return;
    const box = make('span', { className: 'neighbours' });
    const link = (textContent, href, key) => {
      const made = make('a', { textContent, href });
      if (key) Object.assign(made, { title: `Key ${key}` }).dataset.key = key;
      box.append(made);
    };
    const to = symbol => start + encodeURIComponent(symbol) + rest + location.search;
    if (n > 0) link(`← ${list.symbols[n - 1]}`, to(list.symbols[n - 1]), '[');
    link(`${list.title}, ${n + 1} of ${list.symbols.length}`, list.href);
    if (n < list.symbols.length - 1) link(`${list.symbols[n + 1]} →`, to(list.symbols[n + 1]), ']');
    $('.tabs').append(box);
  }
  addEventListener('keydown', event => {
    if (isCommand(event)) toNeighbour({ k: '[', j: ']' }[event.key] ?? event.key);
  });
  const toNeighbour = key => $$('.neighbours [data-key]').find(link => link.dataset.key === key)?.click();
  // A swipe does the same, except on what is moved sideways itself.
  let touched = null;
  addEventListener('touchstart', ({ target, touches }) => {
    const isOfPage = target.closest('main') && !target.closest('.live-chart, .picture, .scroll, pre, input');
    touched = isOfPage && touches.length === 1 ? touches[0] : null;
  }, { passive: true });
  addEventListener('touchend', ({ changedTouches: [end] }) => {
    const x = end.clientX - touched?.clientX, y = end.clientY - touched?.clientY;
    touched = null;
    if (Math.abs(x) > 60 && Math.abs(y) < Math.abs(x) / 2) toNeighbour(x < 0 ? ']' : '[');
  });

  // A table that is no wider than its box scrolls with the page.
  function fit() {
    const boxes = $$('.scroll');
    boxes.forEach(box => box.classList.remove('fits'));
    boxes.filter(box => box.scrollWidth <= box.clientWidth).forEach(box => box.classList.add('fits'));
  }
  addEventListener('resize', fit);
  // A press elsewhere closes the account menu.
  addEventListener('click', event => { if (!event.target.closest('.more')) $('.more')?.removeAttribute('open'); });

  function prepare() {
    prepareBoxes();
    $$('[data-copy], [data-copy-address]').forEach(button => { button.hidden = !navigator.clipboard; });
    $$('[data-places]').forEach(readable);
    $$('[data-live]').forEach(live);
    neighbours();
    // The present tab is in view, and the row does not move the page.
    const tab = $('.tabs [aria-current]');
    if (tab) tab.parentNode.scrollLeft = tab.offsetLeft - 40;
    if ($('form.ticked')) tick(ticks());
    // What was done may have been changed again elsewhere.
    $$('.undo').forEach(undo => setTimeout(() => undo.remove(), 60000));
    fit();
    // Behind a proxy, the server may know its address only by host.
    $$('.command code').forEach(code => { code.textContent = code.textContent.replace(/'https?:\/\/[^/]+/, `'${location.origin}`); });
  }
  prepare();
})();
