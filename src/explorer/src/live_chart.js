// The interactive chart in the place of a drawn picture of prices: zoom, pan, crosshair and touch, with the same bars, lines, panes, marks
// and levels, and over them the other stocks of the page's part `compared` and the reader's levels and trend lines of the part `drawings`.
// `page.js` calls it with a figure and with its functions that read and format values. The drawn picture is printed.
'use strict';
(() => {
let charts = [];
// A browser also reports a move when a page is scrolled under a pointer that rests; bars are read by moves of the pointer itself.
let pointer = '', hasMoved = false;
addEventListener('pointermove', ({ screenX, screenY }) => {
  hasMoved = pointer !== (pointer = `${screenX} ${screenY}`);
}, true);

/** Builds a chart in a box. */
function buildChart(box, { figures: { at, series }, isLog, marks, over, written, dated, read, pick }) {
  const { CandlestickSeries, HistogramSeries, LineSeries, createChart, createSeriesMarkers } = window.LightweightCharts;
  const style = getComputedStyle(box), colour = name => style.getPropertyValue(`--picture-${name}`).trim();
  const [open, high, low, close, volume, strength] = ['open', 'high', 'low', 'close', 'volume', 'rs'].map(key => series.find(one => one.key === key));
  const iso = time => (typeof time === 'string' ? time : `${time.year}-${String(time.month).padStart(2, '0')}-${String(time.day).padStart(2, '0')}`);
  const chart = createChart(box, {
    autoSize: true,
    layout: {
      background: { color: colour('surface') }, textColor: colour('muted'), fontSize: 12, fontFamily: style.fontFamily, attributionLogo: false,
      panes: { separatorColor: colour('axis'), separatorHoverColor: colour('grid') },
    },
    grid: { vertLines: { color: colour('grid') }, horzLines: { color: colour('grid') } },
    crosshair: { mode: 0 },
    rightPriceScale: { borderVisible: false },
    timeScale: { borderVisible: false, rightOffset: 2, lockVisibleTimeRangeOnResize: true },
    // A finger that moves up or down moves the page.
    handleScroll: { vertTouchDrag: false },
    // The pages are in English; a browser may name a language that scripts cannot read.
    localization: { locale: 'en-GB', timeFormatter: time => dated(iso(time)) },
  });
  const points = values => at.map((time, n) => (values[n] == null ? { time } : { time, value: values[n] }));
  const format = (one, minMove) => ({ type: 'custom', minMove, formatter: value => written(one, value) });
  function line({ values, ...one }, pane, options) {
    const quiet = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false, lineWidth: 2 };
    const added = chart.addSeries(LineSeries, { ...quiet, priceFormat: format(one, options.minMove ?? 0.01), ...options }, pane);
    added.setData(points(values));
  }

  const candles = chart.addSeries(CandlestickSeries, {
    upColor: colour('surface'), borderUpColor: colour('up'), wickUpColor: colour('up'),
    downColor: colour('down'), borderDownColor: colour('down'), wickDownColor: colour('down'), priceFormat: format(close, 0.01),
  });
  candles.setData(at.map((time, n) => ({ time, open: open.values[n], high: high.values[n], low: low.values[n], close: close.values[n] })));
  const averages = ['line-5', 'line-6', 'line-4', 'line-2'];
  series.filter(one => one.key === 'average').forEach((one, n) => line(one, 0, { color: colour(averages[n % 4]), lineStyle: [1, 3, 0, 2][n % 4] }));
  for (const one of series.filter(one => one.key === 'level')) {
    const price = one.values.findLast(value => value != null);
    candles.createPriceLine({ price, title: one.name, color: colour('muted'), lineWidth: 1, lineStyle: 1, axisLabelVisible: false });
  }
  // Another stock begins at the first price that is shown, and moves as much as it did.
  over.forEach((one, n) => {
    const from = at.findIndex(day => one.changes.has(day));
    if (from < 0) return;
    const first = 1 + one.changes.get(at[from]) / 100, base = close.values[from];
    const values = at.map(day => (one.changes.has(day) ? base * (1 + one.changes.get(day) / 100) / first : null));
    line({ ...close, values }, 0, { color: colour(`line-${n % 8 + 1}`), title: one.name, lastValueVisible: true });
  });
  const days = new Set(at);
  const rings = marks.filter(mark => days.has(mark.day)).map(({ day, letter }) => ({ time: day, position: 'belowBar', shape: 'circle', color: colour('muted'), text: letter }));
  createSeriesMarkers(candles, rings.sort((one, other) => (one.time < other.time ? -1 : 1)));

  if (volume) {
    const bars = chart.addSeries(HistogramSeries, { color: colour('volume'), priceFormat: { type: 'volume' }, priceLineVisible: false, lastValueVisible: false }, 1);
    bars.setData(points(volume.values));
  }
  if (strength) line(strength, volume ? 2 : 1, { color: colour('accent'), minMove: 0.0001 });
  // Volume and relative strength, whose panes are there by now, keep a linear scale.
  candles.priceScale().applyOptions({ mode: isLog ? 1 : 0 });
  chart.panes().forEach((pane, n) => pane.setStretchFactor([5, 0.9, 1.2][n]));
  const scale = chart.timeScale();
  scale.fitContent();

  // The bar of a day; days beyond the bars are as far from them as the bars are from each other in the mean.
  function barOf(day) {
    const n = at.findIndex(one => one >= day), days = (from, to) => (Date.parse(to) - Date.parse(from)) / 864e5;
    const step = days(at[0], at.at(-1)) / (at.length - 1) || 1;
    if (n < 0) return at.length - 1 + days(at.at(-1), day) / step;
    return n || -days(day, at[0]) / step;
  }
  let drawn = [];
  /** Shows drawings in place of those before: each has a point, a level, or two, through which a line goes on to the last bar. */
  function draw(drawings) {
    for (const remove of drawn) remove();
    drawn = drawings.map(([first, second]) => {
      const style = { color: colour('line-8'), lineWidth: 2 };
      if (!second) {
        const level = candles.createPriceLine({ price: first.price, axisLabelVisible: true, ...style });
        return () => candles.removePriceLine(level);
      }
      // It is straight in the scale that is shown.
      const [bent, straight] = isLog ? [Math.log, Math.exp] : [Number, Number], from = barOf(first.day);
      const slope = (bent(second.price) - bent(first.price)) / (barOf(second.day) - from);
      const quiet = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false, autoscaleInfoProvider: () => null };
      const line = chart.addSeries(LineSeries, { ...quiet, ...style, priceFormat: format(close, 0.01) });
      const priceAt = n => straight(bent(first.price) + slope * (n - from));
      line.setData(at.map((time, n) => (n >= from && Number.isFinite(slope) && priceAt(n) > 0 ? { time, value: priceAt(n) } : { time })));
      return () => chart.removeSeries(line);
    });
  }
  const near = logical => Math.max(0, Math.min(at.length - 1, Math.round(logical)));
  let readBar = -1, pressed = null;
  // The library tells nothing of the second of two quick clicks. A click is what is pressed and released at one place.
  box.addEventListener('pointerdown', event => { pressed = event; });
  box.addEventListener('pointerup', ({ clientX, clientY }) => {
    const isClick = pressed && Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) < 6;
    const { left, top, bottom } = chart.panes()[0].getHTMLElement().getBoundingClientRect(), logical = scale.coordinateToLogical(clientX - left);
    pressed = null;
    if (!isClick || logical == null) return;
    const n = near(logical);
    // A pointer has read the bar already, a tap has not.
    if (n !== readBar) {
      chart.setCrosshairPosition(close.values[n], at[n], candles);
      read(readBar = n);
    }
    if (clientY < bottom) pick({ day: at[n], price: candles.coordinateToPrice(clientY - top) });
  });
  function readAt(n) {
    if (n !== readBar) read(readBar = n);
  }
  // The crosshair also moves without a reader, when something is drawn.
  chart.subscribeCrosshairMove(({ logical, sourceEvent }) => { if (sourceEvent && hasMoved && logical != null) readAt(near(logical)); });
  box.addEventListener('mouseleave', () => readAt(at.length - 1));
  return {
    draw,
    remove: () => chart.remove(),
    /** Moves the crosshair to a bar, and the chart so far that it shows it. */
    point(n) {
      const { from, to } = scale.getVisibleLogicalRange();
      const by = n < from ? n - from - 1 : n > to ? n - to + 1 : 0;
      if (by) scale.setVisibleLogicalRange({ from: from + by, to: to + by });
      chart.setCrosshairPosition(close.values[n], at[n], candles);
      read(readBar = n);
    },
    /** Picks the close of a bar. */
    pickClose: n => pick({ day: at[n], price: close.values[n] }),
  };
}

/** The reader's drawings as the page lists them: the points of each. */
const section = () => document.querySelector('#drawings');
const listed = () => [...section()?.querySelectorAll('[data-points]') ?? []].map(pointsOf);
function pointsOf({ dataset }) {
  const words = dataset.points.split(' ');
  return [0, 2].filter(n => n < words.length).map(n => ({ day: words[n], price: Number(words[n + 1]) }));
}

/** Sends one of the forms of the drawings; the list of the reply takes the place of the list. Returns true if something was changed. */
async function send(form, fields) {
  const body = new URLSearchParams(new FormData(form));
  for (const name in fields) body.set(name, fields[name]);
  const reply = await fetch(form.action, { method: 'POST', credentials: 'same-origin', body });
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html'), next = page.querySelector('#drawings');
  const words = page.querySelector(next ? '.form-answer p' : '.refusal')?.textContent ?? 'Not saved: reload the page.';
  if (next && section()) section().replaceWith(document.adoptNode(next));
  for (const { tools, chart } of charts.filter(one => one.tools)) {
    chart.draw(listed());
    tools.tell(words);
  }
  return Boolean(next);
}
// What undoes the changes of this visit, the newest last; of a drawing that was added with its number.
const undo = [];
const newest = () => [...section().querySelectorAll('[data-number]')].at(-1).dataset.number;
async function add(points) {
  const [first, second] = points, price = ({ price }) => price.toFixed(price < 10 ? 4 : 2);
  const fields = { day: first.day, price: price(first), ...second && { day_2: second.day, price_2: price(second) } };
  return send(section().querySelector('.draw'), fields);
}
function rememberAdded() {
  const added = { number: newest(), run: () => send(section().querySelector(`[data-number="${added.number}"] form`)) };
  undo.push(added);
}
function rememberDeleted({ dataset }) {
  const points = pointsOf({ dataset }), before = undo.findLast(one => one.number === dataset.number);
  undo.push({ run: async () => { if (await add(points) && before) before.number = newest(); } });
}
// Captured, so that `page.js` does not send the form too.
addEventListener('submit', async event => {
  const form = event.target.closest('#drawings form'), item = form?.closest('li');
  if (!form || !charts.some(one => one.tools)) return;
  event.preventDefault();
  if (!await send(form)) return;
  if (item) rememberDeleted(item); else rememberAdded();
}, true);

/** Buttons above a chart that draw on it: a level takes one click or tap, a trend line two; Enter picks the close of the bar that is read. */
function drawingTools(chart, say) {
  const bar = document.createElement('div'), hint = document.createElement('span');
  let wanted = 0, picked = [];
  bar.className = 'drawing-tools';
  function tell(words) {
    hint.textContent = words;
    say(words);
  }
  function choose(count) {
    wanted = count;
    picked = [];
    bar.querySelectorAll('[aria-pressed]').forEach((one, n) => one.setAttribute('aria-pressed', n + 1 === count));
    chart.draw(listed());
  }
  function button(label, act) {
    const made = document.createElement('button');
    Object.assign(made, { type: 'button', className: 'small', textContent: label, onclick: act });
    bar.append(made);
    return made;
  }
  ['Level', 'Trend line'].forEach((label, n) => button(label, () => {
    choose(wanted === n + 1 ? 0 : n + 1);
    tell(wanted ? `Click or tap the ${n ? 'first point' : 'price'}; Enter takes the close of the bar, Escape ends.` : '');
  }).setAttribute('aria-pressed', 'false'));
  button('Undo', () => {
    const last = undo.pop();
    if (last) last.run(); else tell('Nothing was drawn or deleted on this visit.');
  });
  bar.append(hint);
  return {
    bar, tell,
    cancel: () => { choose(0); tell(''); },
    async pick(point) {
      if (!wanted || !(point.price > 0)) return;
      picked = [...picked, point].sort((one, other) => (one.day < other.day ? -1 : 1));
      if (picked.length < wanted) {
        chart.draw([...listed(), picked]);
        tell('Now the second point.');
      } else if (wanted === 2 && picked[0].day === picked[1].day) {
        picked.pop();
        tell('The second point needs another bar.');
      } else {
        const points = picked;
        choose(0);
        if (await add(points)) rememberAdded();
      }
    },
  };
}

/** Removes the charts of figures that are no longer in the document, or all charts. */
function removeCharts(isAll) {
  charts = charts.filter(({ figure, box, chart }) => {
    if (figure.isConnected && !isAll) return true;
    chart.remove();
    box.remove();
    figure.classList.remove('is-live');
    return false;
  });
}

window.liveChart = (figure, page) => {
  removeCharts(false);
  const { say, figuresOf, show, readoutWords, stepBy, written, dated } = page, $ = (selector, within) => within.querySelector(selector);
  const forms = [...figure.querySelectorAll('[data-places]')], shown = forms.find(form => form.checkVisibility()), widest = forms.at(-1);
  if (!figure.isConnected || !shown) return;
  // What belongs to the stock of the page is not on a second chart.
  const isOfPage = figure.parentNode.id === 'chart', compared = isOfPage && $('#compared [data-places]', document);
  const figures = figuresOf(widest), last = figures.at.length - 1;
  const others = compared ? figuresOf(compared) : { at: [], series: [] };
  const [box, area, notice] = ['div', 'div', 'p'].map(name => document.createElement(name)), readout = $('.readout', widest).cloneNode(true);
  box.className = 'live-chart';
  box.style.height = `${shown.offsetHeight}px`;
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', `${shown.getAttribute('aria-label')}: arrow keys read its bars`);
  area.setAttribute('aria-hidden', 'true');
  notice.innerHTML = 'TradingView Lightweight Charts™, Copyright © 2026 TradingView, Inc. <a href="https://www.tradingview.com/">www.tradingview.com</a>';
  box.append(readout, area, notice);
  shown.before(box);
  figure.classList.add('is-live');
  let n = last;
  const chart = buildChart(area, {
    figures, written, dated,
    isLog: JSON.parse(widest.dataset.places).axis.log,
    marks: [...figure.parentNode.querySelectorAll('.events li')].map(mark => ({ day: $('time', mark).dateTime, letter: $('.kind', mark).textContent[0] })),
    over: others.series.slice(1).map(one => ({ name: one.name, changes: new Map(others.at.map((day, at) => [day, one.values[at]]).filter(([, value]) => value != null)) })),
    read: to => show(readout, figures, n = to),
    pick: point => tools?.pick(point),
  });
  const tools = isOfPage && section() ? drawingTools(chart, say) : null;
  // The chart fills the window, or has the place of the picture again.
  const full = document.createElement('button');
  function fill(isFull) {
    box.classList.toggle('is-full', isFull);
    full.textContent = isFull ? 'Close' : 'Full screen';
  }
  Object.assign(full, { type: 'button', className: 'small', onclick: () => fill(!box.matches('.is-full')) });
  fill(false);
  if (tools) {
    area.before(tools.bar);
    tools.bar.prepend(full);
    chart.draw(listed());
  } else area.before(full);
  box.addEventListener('keydown', event => {
    if (event.key === 'Escape') fill(false);
    if (event.target !== box) return;
    if (event.key === 'Enter') chart.pickClose(n);
    if (event.key === 'Escape') tools?.cancel();
    const to = event.ctrlKey || event.metaKey || event.altKey ? undefined : stepBy(event.key, n, last);
    if (to === undefined) return;
    event.preventDefault();
    chart.point(to);
    say(readoutWords(readout));
  });
  charts.push({ figure, box, chart, tools, page });
};
// Colours are read when a chart is drawn.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  const all = charts;
  removeCharts(true);
  for (const { figure, page } of all) window.liveChart(figure, page);
});
})();
