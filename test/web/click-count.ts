import { type Page } from 'puppeteer-core';
import { type ControlRole, openMore, pointer } from './input-methods.js';

/** The pointer of a person, with the number of clicks and of fields that were typed into. A choice in a menu is two. */
export class ClickCount {
  private readonly counts = new Map<string, number>();
  private task = '';

  constructor(private readonly page: Page) {}

  /** What follows is part of the task. */
  begin(task: string): void {
    this.task = task;
  }

  async press(name: string, role: ControlRole = 'button'): Promise<void> {
    this.add(1);
    await pointer.press(this.page, role, name);
  }

  /** Presses what has the words among others. */
  async pressPart(words: string): Promise<void> {
    this.add(1);
    await this.page.locator(`::-p-xpath(//*[self::a or self::button][contains(., "${words}")])`).click();
  }

  async pressAt(selector: string): Promise<void> {
    this.add(1);
    await this.page.locator(selector).click();
  }

  /** Opens what is behind "More". */
  async openMore(): Promise<void> {
    this.add(1);
    await openMore(this.page);
  }

  async write(label: string, text: string): Promise<void> {
    this.add(1);
    await pointer.write(this.page, label, text);
  }

  /** The date input takes day, month and year in the order of the locale. */
  async pickDay(label: string, day: string): Promise<void> {
    this.add(1);
    const [year, month, date] = day.split('-');
    await this.page.focus(`[aria-label="${label}"]`);
    await this.page.keyboard.type(`${month}${date}${year}`);
  }

  async choose(label: string, words: string): Promise<void> {
    this.add(2);
    await pointer.choose(this.page, label, words);
  }

  async giveFile(path: string): Promise<void> {
    this.add(1);
    const [chooser] = await Promise.all([this.page.waitForFileChooser(), this.press('Choose a file')]);
    await chooser.accept([path]);
  }

  /** A real paste arrives as one input, too. */
  async paste(rows: readonly (readonly string[])[]): Promise<void> {
    this.add(1);
    const area = await this.page.waitForSelector('textarea');
    await area?.focus();
    await this.page.keyboard.sendCharacter(rows.map((row) => row.join('\t')).join('\n'));
    await this.press('Use pasted cells');
  }

  of(task: string): number {
    return this.counts.get(task) ?? 0;
  }

  private add(count: number): void {
    this.counts.set(this.task, this.of(this.task) + count);
  }
}
