import { type AccountRole } from './accounts.js';
import { type Labels } from './labels.js';
import { type States } from './states.js';

/** The states of what a person is owed, as exact decimal texts. */
export type StoredStates = { readonly [State in keyof States]: string } & {
  readonly entity: string;
  readonly repId: string;
  readonly currency: string;
};

/** The sum of an account in a month, as exact decimal text. */
export interface BookTotal {
  readonly entity: string;
  readonly account: AccountRole;
  readonly currency: string;
  readonly amount: string;
  readonly value: string;
}

/** A warning that was shown when a month was closed. */
interface StoredWarning {
  readonly code: string;
  readonly count: number;
  readonly amounts?: readonly { readonly currency: string; readonly amount: number }[] | undefined;
}

/** What a closing stores beside its lines. */
export interface ClosingContent {
  readonly states: readonly StoredStates[];
  readonly warnings: readonly StoredWarning[];
  readonly labels: Labels;
  /** What is amortised after the month, by entity and month, as exact decimal texts. */
  readonly future: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Whether the person who prepared the month has closed it. */
  readonly onePerson: boolean;
}

/** A month that was closed. */
export interface Closing {
  readonly month: string;
  readonly version: number;
  readonly isOpening: boolean;
  readonly hash: string;
  readonly preparedBy: string;
  readonly closedBy: string;
  readonly closedAt: Date;
  readonly reopenReason: string | null;
  readonly reopenRequestedBy: string | null;
  readonly reopenRequestedById: string | null;
  readonly reopenedBy: string | null;
  readonly reopenedAt: Date | null;
  readonly postedBy: string | null;
  readonly postedAt: Date | null;
  readonly postedReference: string | null;
}
