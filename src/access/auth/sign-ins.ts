import { type Clock } from '../../kernel/clock.js';
import { mapInParallel } from '../../kernel/waiting.js';
import { type TransactionWithoutWorkspace, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { openSession } from './open-session.js';
import { type Session, type SignIn, type SignInMethod } from './sign-in.js';
import { findSignIns } from './sign-in-views.js';

/** The workspaces of other databases, where a service has several. */
export interface OtherDatabases {
  /** Active people with that address, in the given workspace or in all. */
  find(email: string, workspaceId: string | null): Promise<readonly SignIn[]>;
  /** The database of the workspace; null if it is in none of the others. */
  unitOfWorkOf(workspaceId: string): Promise<UnitOfWork | null>;
}

/** Consumes what was proved, such as a code; false if that has happened before. */
type Consume = (tx: Pick<TransactionWithoutWorkspace, 'db'>) => Promise<boolean>;

/** Who an address can sign in as, and the sessions that it opens. */
export class SignIns {
  private others: OtherDatabases | null = null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  attach(others: OtherDatabases): void {
    this.others = others;
  }

  async find(email: string, workspaceId: string | null): Promise<readonly SignIn[]> {
    const here = await this.unitOfWork.withoutWorkspace((tx) => findSignIns(tx, email, workspaceId));
    if (this.others === null) return here;
    const moved = await mapInParallel(here, (signIn) => this.elsewhere(signIn.workspaceId));
    return [...here.filter((_, index) => moved[index] === null), ...(await this.others.find(email, workspaceId))];
  }

  /** The workspace to which a code of this database is bound: the codes of people of other databases are not bound. */
  async bindable(workspaceId: string | null): Promise<string | null> {
    const isElsewhere = workspaceId !== null && (await this.elsewhere(workspaceId)) !== null;
    return isElsewhere ? null : workspaceId;
  }

  /** Null if the proof was used before, or the person was deactivated meanwhile. */
  async open(signIn: SignIn, method: SignInMethod, consume: Consume = async () => true): Promise<Session | null> {
    const elsewhere = await this.elsewhere(signIn.workspaceId);
    if (elsewhere === null)
      return this.unitOfWork.write(signIn, async (tx) =>
        (await consume(tx)) ? openSession(tx, signIn, method, this.clock) : null,
      );
    // The proof is in this database: a crash between the two costs the person another code.
    if (!(await this.unitOfWork.withoutWorkspace(consume))) return null;
    return elsewhere.write(signIn, (tx) => openSession(tx, signIn, method, this.clock));
  }

  private async elsewhere(workspaceId: string): Promise<UnitOfWork | null> {
    return this.others === null ? null : this.others.unitOfWorkOf(workspaceId);
  }
}
