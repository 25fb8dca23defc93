import { type Log } from '../platform/log.js';

/** The parts of a process, which are closed in the reverse order, also while the process still starts. */
export class OpenedParts {
  private readonly closers: (() => Promise<void>)[] = [];
  private opening: Promise<unknown> = Promise.resolve();
  private closing: Promise<void> | null = null;

  constructor(private readonly log: Log) {}

  /** Opens a part. Throws when the parts are being closed: the part is then not opened, or it is closed too. */
  async open<Part>(open: () => Promise<Part>, close: (part: Part) => Promise<void>): Promise<Part> {
    this.assertOpen();
    const opening = this.openPart(open, close);
    this.opening = opening;
    const part = await opening;
    this.assertOpen();
    return part;
  }

  /** A part that is being opened is awaited, because it uses those that are open. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private assertOpen(): void {
    if (this.closing !== null) throw new Error('the process stops before its start is complete');
  }

  private async openPart<Part>(open: () => Promise<Part>, close: (part: Part) => Promise<void>): Promise<Part> {
    const part = await open();
    this.closers.push(() => close(part));
    return part;
  }

  private async closeAll(): Promise<void> {
    await this.opening.catch(() => undefined);
    for (const close of this.closers.reverse())
      await close().catch((error: unknown) => this.log.error({ err: error }, 'closing a part of the service failed'));
  }
}
