import { z } from 'zod';
import { type Proration } from '../../engine/effective-quota.js';

/** How the days of a period changed a quota, in responses. */
export const proration = z
  .object({
    target: z.number().describe('Target of the quota before proration'),
    weight: z.number().describe('Days or months of the period that count for the target, to 6 decimals'),
    size: z.number().describe('Days or months of the period'),
    unit: z.enum(['days', 'months']).describe('What weight and size count'),
    because: z.literal('quota_minimum').optional().describe('The weight is below the minimum, which applies instead'),
    minPercent: z.number().optional().describe('Minimum of the target in percent, where it applies'),
    variableTarget: z.number().optional().describe('Variable target of the quota before proration'),
    variableWeight: z.number().optional().describe('Days or months of the period that count for the variable target'),
  })
  .describe('How the days of the period changed the quota: target times weight of size days or months');

export type ProrationResponse = z.input<typeof proration>;

export function toProrationResponse(computed: Proration): ProrationResponse {
  const { unit, size, target, weight, minPercent, variableTarget, variableWeight } = computed;
  return {
    target: target.toNumber(),
    weight: weight.toNumber(),
    size,
    unit,
    ...(minPercent === null ? {} : { because: 'quota_minimum', minPercent: minPercent.toNumber() }),
    ...(variableTarget === null
      ? {}
      : { variableTarget: variableTarget.toNumber(), variableWeight: variableWeight.toNumber() }),
  };
}

/** Such as "120,000 × 34.5 of 90 days", or "90,000 × 25 %, the minimum" where fewer days would count. */
export function explainProration({ target, weight, size, unit, minPercent }: ProrationResponse): string {
  const amount = target.toLocaleString('en-US', { maximumFractionDigits: 6 });
  const counted = `${weight} of ${size} ${unit}`;
  return minPercent === undefined ? `${amount} × ${counted}` : `${amount} × ${minPercent} %, the minimum (${counted})`;
}
