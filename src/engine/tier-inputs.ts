import { type Decimal } from '../kernel/decimal.js';
import { type FiringLine } from './count-lines.js';
import { type Share } from './credit-lines.js';
import { type EffectiveQuota } from './effective-quota.js';
import { type KeyFacts } from './rule-table.js';
import { type Deal } from './slug.js';
import { type Reason } from './trace.js';

/** The inputs of one firing's payout: its values, and the credit counted around it under its attainment key. */
export interface TierInputs {
  readonly measure: Decimal;
  readonly credit: Decimal;
  readonly base: Decimal;
  readonly tierValue: Decimal | null;
  /** Why there is no tier value; null if there is one, or if the rule needs none. */
  readonly tierValueAbsence: Reason | null;
  readonly quota: EffectiveQuota | null;
  /** The percentage of the raw amount that the rep's ramp pays; null without a step that changes it. */
  readonly rampRate: Decimal | null;
  /** The share that credit and base contain already, and that fixed amounts and limits of the deal do not. */
  readonly share: Share;
  /** Credit of earlier deals. */
  readonly before: Decimal;
  /** `before` plus the credit of earlier rules on this deal: the start of a marginal slice. */
  readonly sliceStart: Decimal;
  /** Credit up to and including the whole deal; the same for every rule of a group. */
  readonly after: Decimal;
  /** Credit of the whole period, later deals included. */
  readonly periodCredit: Decimal;
  /** The maximum that credit reached after any earlier deal of the period; null before the first. */
  readonly highWater: Decimal | null;
  /** 1 is first; null unless the rule tiers by rank. */
  readonly rank: number | null;
  /** The amount that this rule paid this rep for earlier deals of this attainment period. */
  readonly paid: Decimal;
  /** What the cap of the rule cut off these deals, less what credit notes and refunds used of it. */
  readonly cutOff: Decimal;
  /** Whether the deal takes back what the sale that it mirrors would be paid at its place in the period. */
  readonly isCreditNote: boolean;
  /** The lines of the deal; null for a rule that pays deals as a whole. */
  readonly lines: readonly FiringLine[] | null;
  /** The deal, in which keys of rate tables are read; null for a period. */
  readonly source: Deal | null;
  readonly facts: KeyFacts;
}
