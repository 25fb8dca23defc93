import { calculationSteps } from '../../engine/calculate.js';
import { type RepInput, type RepResult } from '../../engine/model.js';
import { EventLoopSlice } from '../../kernel/waiting.js';

/** Calculates a rep without blocking the process. */
export async function calculateInSlices(input: RepInput, slice = new EventLoopSlice()): Promise<RepResult> {
  const steps = calculationSteps(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await slice.pause();
  }
}
