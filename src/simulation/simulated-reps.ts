import { type Quota } from '../engine/effective-quota.js';
import { type RepInput } from '../engine/model.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { type TeamMember } from '../ledger/input/hierarchy.js';
import { type DealEvent, type LoadedTeamDeal } from '../ledger/input/load-window.js';
import { type RepTerms, type StoredQuota, type StoredVersion } from '../ledger/input/rep-terms.js';

/** The terms of a simulation that apply to all reps. */
export interface SharedTerms {
  readonly planId: string;
  readonly versions: readonly StoredVersion[];
  readonly asOf: Day;
  /** It consists of whole attainment periods. */
  readonly window: DayRange;
  /** Replaces the stored quotas of every rep. */
  readonly quota: SentQuota | null;
  /** The reps whom the caller may see; null for everyone. The results depend on the simulated deals of no one else. */
  readonly visible: readonly string[] | null;
}

/** The data of one rep. */
export interface SimulatedRepData {
  readonly terms: Omit<RepTerms, 'quotas'>;
  readonly quotas: readonly (SentQuota & Pick<StoredQuota, 'planId' | 'key' | 'period'>)[];
  /** Whether the quota of the request applies to the rep. */
  readonly assumesQuota: boolean;
  /** The credits of the peers ahead of the rep, by {@link rankKey}; empty if the caller sees everyone. */
  readonly storedRanks: ReadonlyMap<string, readonly string[]>;
  readonly deals: RepInput['deals'];
  /** The people below the rep, each with the days on which they are. */
  readonly team: readonly TeamMember[];
  readonly teamDeals: readonly SentTeamDeal[];
  /** What counts on refunded deals of the team and on their refunds; absent if nothing does. */
  readonly below?: readonly SentEvent[];
  /** Made-up deals and an assumed quota count like stored ones: periodic rules count periods from then on. */
  readonly firstActivity: Day | null;
}

/** The key of a stored ranking: all are rankings of the simulated plan. */
export function rankKey(attainmentKey: string, period: Period): string {
  return `${attainmentKey}|${period}`;
}

/** Decimals are sent as text, because instances of classes lose their methods between threads. */
export interface SentQuota {
  readonly target: string;
  readonly variableTarget: string | null;
  readonly isFixed?: boolean;
}

type SentEvent = Omit<DealEvent, 'amount'> & { readonly amount: string };

interface SentTeamDeal extends Omit<LoadedTeamDeal, 'upstream'> {
  readonly upstream: readonly SentEvent[];
}

export function sentQuota({ target, variableTarget, isFixed = false }: Quota): SentQuota {
  return { target: target.toString(), variableTarget: variableTarget?.toString() ?? null, isFixed };
}

export function receivedQuota({ target, variableTarget, isFixed = false }: SentQuota): Quota {
  return {
    target: Decimal.of(target),
    variableTarget: variableTarget === null ? null : Decimal.of(variableTarget),
    isFixed,
  };
}

export function sentTeamDeal({ deal, upstream }: LoadedTeamDeal): SentTeamDeal {
  return { deal, upstream: upstream.map(sentEvent) };
}

export function receivedTeamDeal({ deal, upstream }: SentTeamDeal): LoadedTeamDeal {
  return { deal, upstream: upstream.map(receivedEvent) };
}

export function sentEvent(event: DealEvent): SentEvent {
  return { ...event, amount: event.amount.toString() };
}

export function receivedEvent(event: SentEvent): DealEvent {
  return { ...event, amount: Decimal.of(event.amount) };
}
