import { type Page } from 'puppeteer-core';
import { type Browser } from '#test/support/browser.js';
import { ClickCount } from './click-count.js';

/** The tasks of an admin in one open page, with the clicks that each takes. */
export class AdminWalk {
  readonly clicks: ClickCount;

  constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.setDefaultTimeout(60_000);
    this.clicks = new ClickCount(page);
  }

  /** Opens a page of the navigation, from which the clicks of the task are counted. */
  async begin(task: string, address: string): Promise<void> {
    this.clicks.begin(task);
    await this.browser.visit(this.page, address);
  }

  async confirm(): Promise<void> {
    await this.page.waitForSelector('[role=dialog]');
    await this.clicks.pressAt('[role=dialog] button[type=submit]');
    await this.dialogCloses();
  }

  async dialogCloses(): Promise<void> {
    await this.page.waitForFunction(`document.querySelector('[role=dialog]') === null`);
  }

  /** What each person earns in the period, by name, when nothing is left to calculate. */
  async earned(period: string): Promise<ReadonlyMap<string, number>> {
    await this.browser.workspace.calculated();
    const { reps } = await this.browser.workspace.api.expect(200, 'GET', `/v1/commissions?period=${period}`);
    return new Map(
      reps.map(({ name, earnings }: { name: string; earnings: { total: number } }) => [name, earnings.total]),
    );
  }

  /** Prints the clicks of the tasks beside those of an earlier release, and returns both sums. */
  compare(earlier: Readonly<Record<string, number>>): { readonly now: number; readonly then: number } {
    const tasks = Object.keys(earlier);
    const lines = tasks.map((task) => `${task}: ${this.clicks.of(task)}, earlier ${earlier[task]}`);
    const sum = (of: (task: string) => number) => tasks.reduce((total, task) => total + of(task), 0);
    const [now, then] = [sum((task) => this.clicks.of(task)), sum((task) => earlier[task] ?? 0)];
    console.log([...lines, `all: ${now}, earlier ${then}`].map((line) => `      ${line}`).join('\n'));
    return { now, then };
  }
}
