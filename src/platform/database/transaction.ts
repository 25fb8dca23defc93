import { type CompiledQuery, type RawBuilder } from 'kysely';
import { type DayRange } from '../../kernel/day.js';
import { type OutgoingEvent } from '../outbound/outgoing-event.js';
import { joinWrites } from './joined-writes.js';
import { type DatabaseTransaction } from './pool.js';
import { VersionedCache } from './versioned-cache.js';

/** A query that can be compiled: built by Kysely, or written with its `sql` tag. */
interface Query {
  compile(db: DatabaseTransaction): CompiledQuery;
}

/** Called in the transaction that records outgoing events, whether or not an endpoint receives them. */
export type OnRecorded = (tx: Transaction, events: readonly OutgoingEvent[]) => Promise<void>;

/** A plan, one version of it, or all plans, and people; everyone by default. */
export interface ChangedTerms {
  readonly planRef?: string;
  readonly repIds?: readonly string[];
}

/** Called in the transaction that changes what a plan pays people. */
export type OnTermsChanged = (tx: Transaction, terms: ChangedTerms) => Promise<unknown>;

/** Something that a transaction changes in what a person is paid. */
interface MovedPay {
  readonly repId: string;
  readonly days: DayRange;
  readonly dealId?: string | undefined;
}

/** A job in the background whose state a transaction changes. */
export interface ChangedJob {
  readonly kind: string;
  readonly jobId: string;
  readonly hasEnded: boolean;
}

interface TransactionContext {
  readonly asOf?: Date | undefined;
  readonly cache?: VersionedCache<object>;
  readonly onRecorded?: OnRecorded | undefined;
  readonly onTermsChanged?: OnTermsChanged | undefined;
  readonly revision?: Promise<string> | undefined;
}

/** Counts characters, which are somewhat fewer than the bytes in memory. */
const maxCachedCharacters = 32 * 1024 * 1024;

export function createTransactionCache(): VersionedCache<object> {
  return new VersionedCache(maxCachedCharacters);
}

/** A transaction of one workspace. Row-level security limits its statements to the rows of that workspace. */
export class Transaction {
  /** The instant whose state the transaction reads; null for the current state. */
  readonly asOf: Date | null;
  private readonly cache: VersionedCache<object>;
  private readonly onRecorded: OnRecorded | undefined;
  private readonly onTermsChanged: OnTermsChanged | undefined;
  private readonly held = new Set<string>();
  private readonly queriesOfCommit: CompiledQuery[] = [];
  private readonly writesOfCommit: RawBuilder<unknown>[] = [];
  private readonly callsOfCommit: RawBuilder<unknown>[] = [];
  private affected: Set<string | null> | null = null;
  private readonly changedJobs: ChangedJob[] = [];
  private storesEvents = false;
  /** Whose pay the transaction changes, and on which days. */
  readonly movedPay: MovedPay[] = [];
  /** The revision of the configuration, in a transaction with a lock under which it does not change. */
  readonly revision: Promise<string> | undefined;

  constructor(
    readonly db: DatabaseTransaction,
    readonly workspaceId: string,
    { asOf, cache = createTransactionCache(), onRecorded, onTermsChanged, revision }: TransactionContext = {},
  ) {
    this.asOf = asOf ?? null;
    this.cache = cache;
    this.onRecorded = onRecorded;
    this.onTermsChanged = onTermsChanged;
    this.revision = revision;
  }

  /**
   * The end of the millisecond of `asOf`, with which SQL compares stored instants: they have microseconds, and the API states their
   * milliseconds. `infinity` for the current state.
   */
  get until(): string {
    return this.asOf === null ? 'infinity' : this.asOf.toISOString().replace('Z', '999Z');
  }

  /** The cache that transactions of the unit of work share. Different kinds of data have different keys. */
  cacheOf<T extends object>(): VersionedCache<T> {
    return this.cache as unknown as VersionedCache<T>;
  }

  /**
   * Sends the query together with the commit, after everything else of the transaction. If it fails, the transaction fails
   * and is rolled back.
   */
  beforeCommit(query: Query): void {
    this.queriesOfCommit.push(query.compile(this.db));
  }

  /**
   * Sends the write together with the commit, in one statement with others; see {@link joinWrites}. A trigger of its table
   * must not record rows for the audit log: it would run after the call in that statement which writes the entry.
   */
  writeWithCommit(write: RawBuilder<unknown>): void {
    this.writesOfCommit.push(write);
  }

  /** Evaluates the expression, a call of a function, in the same statement after all writes, in the order of the calls. */
  callWithCommit(call: RawBuilder<unknown>): void {
    this.callsOfCommit.push(call);
  }

  /**
   * Records that the transaction holds something that other workers skip while it is held. `onReleased` of the unit of work
   * is called with the name when the transaction has ended.
   */
  hold(name: string): void {
    this.held.add(name);
  }

  /**
   * Declares whose data the transaction changes, in addition to earlier calls; null means deals without an owner. A
   * transaction that never calls it affects the whole workspace.
   */
  markAffected(repIds: Iterable<string | null>): void {
    this.affected ??= new Set();
    for (const repId of repIds) this.affected.add(repId);
  }

  /** Runs what the service does in every transaction that records outgoing events, such as storing mails. */
  async notify(events: readonly OutgoingEvent[]): Promise<void> {
    await this.onRecorded?.(this, events);
  }

  /** Runs what the service does after a change of terms, such as requesting acceptances. */
  async changeTerms(terms: ChangedTerms): Promise<void> {
    await this.onTermsChanged?.(this, terms);
  }

  /** Declares that the transaction stores deliveries of events, which are sent after its commit. */
  deliverEvents(): void {
    this.storesEvents = true;
  }

  /** Declares that the transaction changes the state of a job, which is published after its commit. */
  changeJob(job: ChangedJob): void {
    this.changedJobs.push(job);
  }

  /** What the unit of work needs to end the transaction. */
  get outcome(): TransactionOutcome {
    const { held, affected, changedJobs, storesEvents } = this;
    return { held, affected, changedJobs, storesEvents };
  }

  /** The statements that are sent with the commit. */
  listQueriesOfCommit(): readonly CompiledQuery[] {
    const { writesOfCommit, callsOfCommit, queriesOfCommit } = this;
    if (writesOfCommit.length + callsOfCommit.length === 0) return queriesOfCommit;
    return [...queriesOfCommit, joinWrites(writesOfCommit, callsOfCommit).compile(this.db)];
  }
}

export interface TransactionOutcome {
  readonly held: ReadonlySet<string>;
  /** The reps whose data was changed; null for the whole workspace. */
  readonly affected: ReadonlySet<string | null> | null;
  readonly changedJobs: readonly ChangedJob[];
  readonly storesEvents: boolean;
}

/**
 * A transaction before a workspace is known: row-level security returns no rows, and only functions of the owner return
 * data.
 */
export interface TransactionWithoutWorkspace {
  readonly db: DatabaseTransaction;
  readonly workspaceId: null;
}
