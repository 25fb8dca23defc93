import { calculationSteps } from '../engine/calculate.js';
import { type RepInput, type RepResult } from '../engine/model.js';
import { yieldToOthers } from '../kernel/waiting.js';

/** How long calculations may occupy the event loop without letting other work run. */
const sliceMs = 10;

/** The time since other work could last run. Calculations that run one after another share it. */
export class EventLoopSlice {
  private startedAt = performance.now();

  /** Lets requests and other lanes run if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() - this.startedAt < sliceMs) return;
    await yieldToOthers();
    this.startedAt = performance.now();
  }
}

/** Calculates a rep without blocking the process. */
export async function calculateInSlices(input: RepInput, slice = new EventLoopSlice()): Promise<RepResult> {
  const steps = calculationSteps(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await slice.pause();
  }
}
