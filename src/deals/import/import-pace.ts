import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToOthers } from '../../kernel/waiting.js';

/** A batch that takes longer waits for the database and not for the processor. */
const maxPauseMs = 100;

/**
 * The pauses of an import between the parts of its file. While other workspaces are active, it pauses for as long as it
 * has worked, so that it has at most half of the time of the process.
 */
export class ImportPace {
  private resumedAt = performance.now();

  constructor(
    private readonly hasOthers: () => boolean,
    private readonly wait: (ms: number) => Promise<unknown> = sleep,
  ) {}

  async pause(): Promise<void> {
    const workedMs = performance.now() - this.resumedAt;
    if (this.hasOthers()) await this.wait(Math.min(workedMs, maxPauseMs));
    else await yieldToOthers();
    this.resumedAt = performance.now();
  }
}
