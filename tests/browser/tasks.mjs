// Ten tasks as a person does them, each from the first page of the market, by clicks and keys alone: `node tasks.mjs URL SIGN-IN-LINK MODEL KEY`.
// MODEL is the address of `model.mjs`, KEY the key that the visit was signed in for. An action is a click, a text that is typed, a key that
// is pressed, or a word that is chosen from a list. Nothing is typed that can be read on the page. Each task has a goal: the most actions.
// `before` is what it took when a trader and an analyst first tried the explorer; a dash is a task that was not possible.
import assert from 'node:assert/strict';
import { led, signIn, start, symbolsOf, watched } from './browser.mjs';

const [origin, link, model, key] = process.argv.slice(2);
const MODEL_KEY = 'sk-tasks-0000-2222';
/** A run takes seconds, unless the machine has much else to do. */
const PATIENCE = { timeout: 120_000 };

/** Somebody who acts on a page, and whose actions are counted. */
class Person {
  actions = 0;

  constructor(page) {
    this.page = page;
  }

  main(role, name, within = 'main') {
    return this.page.locator(within).getByRole(role, { name, exact: typeof name === 'string' }).first();
  }

  /** A click on what changes nothing but what is shown or ticked. */
  async click(what) {
    this.actions += 1;
    await what.click();
  }

  /** A click that leads to another view. */
  async follow(what) {
    this.actions += 1;
    await led(this.page, () => what.click());
  }

  /** A click that leads to a page beside the explorer, or back from there. */
  async go(what, where) {
    this.actions += 1;
    await what.click();
    await this.page.waitForURL(where);
  }

  async press(pressed) {
    this.actions += 1;
    await this.page.keyboard.press(pressed);
  }

  /** Types where the caret is, or into a box, what the page does not show. */
  async type(text, box) {
    this.actions += 1;
    const shown = await this.page.locator('body').innerText();
    assert.ok(!shown.toUpperCase().includes(text.toUpperCase()), `${text} stands on the page: nobody types it`);
    if (box) await box.fill(text); else await this.page.keyboard.type(text);
  }

  async choose(box, word) {
    this.actions += 1;
    await box.selectOption(word);
  }

  /** A section of the menu, and one of its tabs. */
  async menu(section, tab) {
    await this.follow(this.main('link', section, '.sections'));
    if (tab) await this.follow(this.main('link', tab, '.tabs'));
  }

  /** A company by its symbol. */
  async search(symbol) {
    await this.press('/');
    await this.type(symbol.toLowerCase());
    this.actions += 1;
    await led(this.page, () => this.page.keyboard.press('Enter'));
    await this.page.waitForURL(url => url.pathname.endsWith(`/company/${symbol}`));
  }
}

const texts = (page, selector) => page.locator(selector).allInnerTexts();

const TASKS = [
  {
    what: 'five candidates beside each other, with their charts',
    before: 12,
    goal: 7,
    async act(person) {
      const { page } = person;
      await person.menu('Screen');
      const ticks = page.locator('main tbody .tick');
      const symbols = await ticks.evaluateAll(all => all.slice(0, 5).map(tick => tick.value));
      assert.equal(symbols.length, 5);
      for (const symbol of symbols) await person.click(page.getByLabel(`Tick ${symbol}`, { exact: true }));
      await person.follow(person.main('button', 'Compare'));
      assert.equal(new URL(page.url()).searchParams.get('symbols'), symbols.join());
      assert.equal(await page.locator('#lines svg:visible').count(), 1);
      const heads = await texts(page, '#companies thead th');
      assert.deepEqual(heads.slice(1).map(head => head.trim()), symbols);
    },
  },
  {
    what: 'three stocks of a list beside each other',
    before: 5,
    goal: 5,
    async act(person) {
      const { page } = person;
      await person.follow(person.main('link', 'All leaders'));
      const symbols = await page.locator('main tbody .tick').evaluateAll(all => all.slice(0, 3).map(tick => tick.value));
      for (const symbol of symbols) await person.click(page.getByLabel(`Tick ${symbol}`, { exact: true }));
      await person.follow(person.main('button', 'Compare'));
      assert.deepEqual((await texts(page, '#companies thead th')).slice(1).map(head => head.trim()), symbols);
    },
  },
  {
    what: 'the largest buyer of the newest deals',
    before: 13,
    goal: 5,
    async act(person) {
      const { page } = person;
      await person.follow(person.main('link', 'All deals'));
      await person.follow(page.locator('main thead').getByRole('link', { name: /^Value/ }).first());
      const heads = await texts(page, 'main table thead th'), at = name => heads.findIndex(head => head.startsWith(name));
      const rows = await page.locator('main table tbody tr').evaluateAll(all => all.map(row => [...row.children].map(cell => cell.innerText.trim())));
      const values = rows.map(row => Number(row[at('Value')].replaceAll(',', '')));
      assert.ok(values.length > 20 && values.every((value, n) => !n || value <= values[n - 1]), values.join());
      const buyer = rows.find(row => row[at('Side')] === 'buy');
      assert.ok(buyer[at('Client')].length > 3, buyer.join());
    },
  },
  {
    what: 'a screen saved, and found with its stocks among the lists',
    before: '–',
    goal: 5,
    async act(person) {
      const { page } = person, name = 'Of one sector';
      await person.follow(person.main('link', 'All sectors'));
      await person.follow(page.locator('main tbody a[href*="screener?sector="]:visible').first());
      const count = (await page.locator('.extent b').first().innerText()).trim();
      await person.type(name, page.getByLabel('Name of this screen'));
      await person.follow(person.main('button', 'Save'));
      await person.menu('Lists');
      const row = page.locator('#screens tbody tr', { hasText: name });
      assert.equal((await row.locator('td').first().innerText()).trim(), count);
      await row.getByRole('button', { name: /^Remove/ }).click();
      await page.locator('#screens', { hasText: 'There is no saved screen yet' }).waitFor();
    },
  },
  {
    what: 'results that are expected soon, by day',
    before: '–',
    goal: 5,
    async act(person) {
      const { page } = person;
      await person.menu(/^Calendar/);
      await person.follow(person.main('link', 'Expected results'));
      // A word that is the same in all rows is said once above them.
      assert.match(await page.locator('main .covered').innerText(), /Kind due/);
      const rows = await page.locator('main table tbody tr').count();
      assert.ok(rows);
      assert.ok(await page.locator('main tbody a[href*="/company/"]').count() >= rows);
    },
  },
  {
    what: 'all about one company',
    before: 9,
    goal: 3,
    async act(person, { symbol }) {
      await person.search(symbol);
      for (const part of ['chart', 'beside', 'quarters', 'holders', 'peers', 'events', 'momentum']) {
        assert.ok(await person.page.locator(`section#${part}`).isVisible(), part);
      }
    },
  },
  {
    what: 'a company beside its peers',
    before: 10,
    goal: 4,
    async act(person, { symbol }) {
      await person.search(symbol);
      const peers = (await texts(person.page, '#peers tbody th')).map(peer => peer.trim());
      await person.follow(person.main('link', /^Compare these/));
      const compared = new URL(person.page.url()).searchParams.get('symbols').split(',');
      assert.ok(compared.length > 3 && compared.every(one => one === symbol || peers.includes(one)), compared.join());
    },
  },
  {
    what: 'the rotation of three months ago',
    before: 3,
    goal: 2,
    async act(person) {
      const { page } = person;
      const stood = () => page.locator('nav[aria-label="As it stood on"] [aria-current]').innerText();
      await person.follow(person.main('link', /^Rotation with longer tails/));
      const now = new Date(await stood());
      await person.follow(person.main('link', '3 months ago'));
      const days = (now - new Date(await stood())) / 86_400_000;
      assert.ok(days > 80 && days < 100, `${days} days`);
      assert.equal(await page.locator('#rotation svg:visible').count(), 1);
    },
  },
  {
    what: 'a committee with a key of a model, read to its verdict',
    before: 8,
    goal: 8,
    async act(person, { symbol }) {
      const { page } = person;
      await person.menu('Research', 'Model keys');
      const form = page.getByRole('form', { name: 'Save this key' });
      await person.choose(form.getByLabel('Provider *'), 'openai');
      await person.type(MODEL_KEY, form.getByLabel('Key *', { exact: true }));
      await person.follow(form.getByRole('button', { name: 'Save this key' }));
      // Whether the provider takes the key is said at once.
      assert.match(await page.locator('.form-answer').innerText(), /^Save this key/);
      await person.follow(person.main('link', 'Committee', '.tabs'));
      await person.type(symbol, page.getByLabel('Symbol *'));
      await person.follow(person.main('button', 'Start'));
      // The page looks again by itself.
      await page.locator('#report .verdict').waitFor(PATIENCE);
      assert.equal(await page.locator('#report .verdict .word b').innerText(), 'BUY');
    },
  },
  {
    what: 'a key issued, rotated and revoked, and back to the market',
    before: 11,
    goal: 11,
    async act(person) {
      const { page } = person;
      const portal = `${origin}/portal`;
      const button = name => page.getByRole('button', { name, exact: true });
      const number = async () => (await page.locator('label[for=secret]').innerText()).match(/\d+/)[0];
      await person.go(person.main('link', 'Keys', '.account'), portal);
      await person.type(key, page.getByLabel('Your key again').last());
      await person.go(button('Issue'), `${portal}/keys/issue`);
      const issued = await number();
      await person.go(page.getByRole('link', { name: 'Back to all keys' }), portal);
      const rotate = page.locator('details', { has: page.locator(`summary[aria-label="Rotate key ${issued}"]`) });
      await person.click(rotate.locator('summary'));
      await person.type(key, rotate.getByLabel('Your key again'));
      await person.go(rotate.getByRole('button', { name: 'Issue the new key' }), `${portal}/keys/rotate`);
      const rotated = await number();
      await person.go(page.getByRole('link', { name: 'Back to all keys' }), portal);
      const revoke = page.locator('details', { has: page.locator(`summary[aria-label="Revoke key ${rotated}"]`) });
      await person.click(revoke.locator('summary'));
      await person.go(revoke.getByRole('button', { name: `Revoke key ${rotated}` }), portal);
      assert.match(await page.locator('[role=status]').innerText(), new RegExp(`Key ${rotated} is revoked`));
      await person.go(page.getByRole('navigation', { name: 'Market' }).getByRole('link', { name: 'India' }), `${origin}/india`);
    },
  },
];

const browser = await start();
const context = await browser.newContext({ storageState: await signIn(browser, link), viewport: { width: 1440, height: 900 } });
const { page, seen } = await watched(context, origin);
await page.goto(`${origin}/india`);
const today = await page.locator('body').innerText();
const symbol = (await symbolsOf(page, origin, 'india')).find(symbol => !today.includes(symbol));
const asked = await fetch(`${model}/look-at/india/${encodeURIComponent(symbol)}`, { method: 'POST' });
assert.equal(asked.status, 200);
const took = [];
for (const { what, before, goal, act } of TASKS) {
  await page.goto(`${origin}/india`);
  const person = new Person(page);
  await act(person, { symbol });
  took.push(`${String(before).padStart(6)} ${String(goal).padStart(4)} ${String(person.actions).padStart(5)}  ${what}`);
  assert.ok(person.actions <= goal, `${what}: ${person.actions} actions, where ${goal} are enough`);
}
assert.deepEqual(seen.messages, []);
assert.deepEqual(seen.elsewhere, []);
await browser.close();
console.log(`before goal  took  task\n${took.join('\n')}`);
