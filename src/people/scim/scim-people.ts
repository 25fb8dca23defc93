import { type Caller, type Role } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type AnyOperation } from '../../platform/operations/operation.js';
import { type OperationDispatcher } from '../../platform/operations/operation-dispatcher.js';
import { normalEmail, repNotFound } from '../reps/rep.js';
import { listReps, workspaceToday } from '../reps/rep-views.js';
import { ScimError } from './scim-error.js';
import { loadProvisioned, markRemoved, storeNames } from './scim-store.js';
import { type PersonChange, readChange, type ScimPerson, type ScimUser, toScimUser } from './scim-user.js';

/** The parts of the service with which people are read and changed. */
export interface ScimParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly dispatcher: OperationDispatcher;
  /** The operation that creates and changes people by e-mail. Its rules and its audit entries apply. */
  readonly upsertReps: AnyOperation;
}

/** The people of a workspace as an identity provider reads and changes them. */
export class ScimPeople {
  constructor(
    private readonly parts: ScimParts,
    private readonly caller: Caller,
  ) {}

  /** Everyone whom the provider has not deleted. */
  async list(): Promise<readonly ScimPerson[]> {
    return (await this.load()).filter(({ isRemoved }) => !isRemoved);
  }

  async find(id: string): Promise<ScimPerson> {
    const found = isUuid(id) ? (await this.list()).find((person) => person.id === id) : undefined;
    if (found === undefined) throw repNotFound();
    return found;
  }

  /** A person whom the provider deleted before gets the right to sign in again. */
  async create(user: ScimUser): Promise<ScimPerson> {
    const email = readAddress(user);
    const people = await this.load();
    const known = people.find((person) => person.email === email);
    if (known !== undefined && !known.isRemoved)
      throw new ScimError(409, 'uniqueness', `A person with the userName ${email} exists. Find them with a filter.`);
    const change = readChange({ active: true, ...user }, known === undefined ? {} : toScimUser(known));
    if (known === undefined && change.name === undefined)
      throw invalid({ path: 'displayName', message: 'is required for a new person, or the parts of the name' });
    await this.write(people, email, change, known);
    return this.keepNames(email, user);
  }

  /** Stores what `become` makes of the user before. Attributes that the provider does not send stay. */
  async change(id: string, become: (before: ScimUser) => ScimUser): Promise<ScimPerson> {
    const people = await this.load();
    const person = people.find((each) => each.id === id && !each.isRemoved);
    if (person === undefined) throw repNotFound();
    const before = toScimUser(person);
    const user = become(before);
    const email = readAddress(user);
    if (email !== person.email)
      throw new ScimError(400, 'mutability', 'The userName cannot change: the e-mail address identifies a person.');
    await this.write(people, email, readChange(user, before), person);
    return this.keepNames(email, user);
  }

  /** Takes the right to sign in from a person, whose commission stays. */
  async remove(id: string): Promise<void> {
    const { email, name, active } = await this.find(id);
    if (active) await this.upsert([{ email, name, active: false }]);
    await this.parts.unitOfWork.run(this.caller, { lock: 'none', access: 'write' }, (tx) => markRemoved(tx, id));
  }

  async setRoles(ids: readonly string[], role: Role): Promise<void> {
    const people = new Map((await this.list()).map((person) => [person.id, person]));
    const chosen = ids.map((id) => {
      const person = people.get(id);
      if (person === undefined) throw repNotFound([id]);
      return person;
    });
    const changed = chosen.filter((person) => person.role !== role);
    if (changed.length > 0) await this.upsert(changed.map(({ email, name }) => ({ email, name, role })));
  }

  private async write(
    people: readonly ScimPerson[],
    email: string,
    { managerId, name, ...change }: PersonChange,
    before: ScimPerson | undefined,
  ): Promise<void> {
    const isUnchanged = before !== undefined && name === undefined && managerId === undefined;
    if (isUnchanged && Object.keys(change).length === 0) return;
    const manager = managerId === undefined ? {} : { managerEmail: addressOf(people, managerId) };
    await this.upsert([{ email, name: name ?? before?.name, ...change, ...manager }]);
  }

  private async upsert(reps: readonly object[]): Promise<void> {
    await this.parts.dispatcher.run(this.parts.upsertReps, { params: {}, query: {}, body: { reps } }, this.caller);
  }

  private async keepNames(email: string, { externalId, name }: ScimUser): Promise<ScimPerson> {
    const person = (await this.load()).find((each) => each.email === email) as ScimPerson;
    const names = {
      externalId: externalId ?? person.externalId,
      givenName: name?.givenName ?? person.givenName,
      familyName: name?.familyName ?? person.familyName,
    };
    await this.parts.unitOfWork.run(this.caller, { lock: 'none', access: 'write' }, (tx) =>
      storeNames(tx, person.id, names),
    );
    return { ...person, ...names };
  }

  private load(): Promise<readonly (ScimPerson & { readonly isRemoved: boolean })[]> {
    return this.parts.unitOfWork.read(this.caller, async (tx) => {
      const reps = await listReps(tx, await workspaceToday(tx, this.parts.clock), {});
      const provisioned = await loadProvisioned(tx);
      return reps.map((rep) => ({ ...(provisioned.get(rep.id) ?? unprovisioned), ...rep }));
    });
  }
}

const unprovisioned = { externalId: null, givenName: null, familyName: null, isRemoved: false };

function readAddress({ userName, emails = [] }: ScimUser): string {
  const address = [userName, ...emails.map(({ value }) => value)].find((text) => text?.includes('@') === true);
  if (address === undefined) throw invalid({ path: 'userName', message: 'must be the e-mail address of the person' });
  return normalEmail(address);
}

function addressOf(people: readonly ScimPerson[], managerId: string | null): string | null {
  if (managerId === null) return null;
  const manager = people.find(({ id }) => id === managerId);
  if (manager === undefined) throw invalid({ path: 'manager.value', message: 'is the id of no person' });
  return manager.email;
}
