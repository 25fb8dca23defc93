import { type Page } from 'puppeteer-core';
import { type Browser, sees, waitUntilLoaded } from '#test/support/browser.js';
import { ClickCount } from './click-count.js';

/** The tasks of an admin in one open page, with the clicks that each takes. */
export class AdminWalk {
  readonly clicks: ClickCount;

  constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
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

  /** Begins a plan from the template. */
  async startPlan(task: string, template: string, name: string): Promise<void> {
    await this.begin(task, '/plans');
    await this.clicks.press('New plan', 'link');
    await this.clicks.pressPart(template);
    await this.clicks.write('Name of the plan', name);
  }

  async saveDraft(): Promise<void> {
    await this.clicks.press('Save draft');
    await sees(this.page, 'Version 1, draft');
  }

  /** Assigns the people to the plan, and activates it in the builder. Its clicks are those of another task. */
  async activate(name: string, repIds: readonly (string | undefined)[]): Promise<void> {
    const { api } = this.browser.workspace;
    const plans = await api.expect(200, 'GET', '/v1/plans');
    const { planId } = plans.find((plan: { name: string }) => plan.name === name);
    await api.assign(repIds, planId);
    await this.begin('activation', `/plans/${planId}/edit`);
    await sees(this.page, 'See every change');
    await this.clicks.press('Activate');
    await this.page.waitForSelector('[role=dialog]');
    // A worked example of the template may expect a rate that was replaced.
    if ((await this.page.$('[role=dialog] input[type=checkbox]')) !== null)
      await this.clicks.pressAt('[role=dialog] input[type=checkbox]');
    await this.confirm();
    await waitUntilLoaded(this.page);
  }

  /** Pays the first three of a month 1,000, 600 and 300. */
  async startTopThree(): Promise<void> {
    await this.startPlan('ranks', 'Blank plan', 'Top three');
    await this.clicks.choose('Attainment by', 'Month');
    await this.clicks.choose('Whom the rule pays', 'each ended period');
    await this.clicks.press('Amounts');
    for (const [index, amount] of [1000, 600, 300, 0].entries()) {
      if (index > 0) await this.clicks.press('Add tier');
      await this.clicks.write(`Amount of tier ${index + 1}`, String(amount));
    }
    await this.clicks.openMore();
    await this.clicks.choose('Tiers go by', 'rank');
    await this.saveDraft();
  }

  /** Pays ten of the currency for each point of a score that people enter. */
  async startPoints(): Promise<void> {
    await this.startPlan('score', 'Blank plan', 'Service');
    await this.clicks.choose('Measure', 'a score, entered here');
    await this.clicks.write('Name of the score', 'CSAT points');
    await this.clicks.press('Move it to the other rules');
    await this.clicks.write('Rate of tier 1', '1000');
    await this.saveDraft();
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
