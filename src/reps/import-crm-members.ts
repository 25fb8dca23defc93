import { newId } from '../kernel/ids.js';
import { type Recalculate } from '../ledger/recalculate.js';
import { isStorable } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { countHeads, type Headcount, hasSeat } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { email } from './rep.js';
import {
  claimUnresolvedDeals,
  endSessions,
  findMembers,
  findRepsBy,
  insertReps,
  linkMembers,
  type StoredRep,
  saveMembers,
  updateReps,
  wereActiveInCrm,
} from './rep-store.js';

/** A user of the CRM. */
export interface Member {
  readonly crmId: string;
  readonly email: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly active: boolean;
}

export interface ImportedMembers {
  /** The reps of all imported members. */
  readonly repIds: readonly string[];
  readonly created: number;
  /** Members without a valid e-mail address or member id, which are not imported. */
  readonly unusable: number;
  /** New reps who are inactive because the tier has no seat for them. */
  readonly withoutSeat: number;
}

/**
 * Imports the members of a CRM as reps, matched by member id, then by e-mail. Names and pictures follow the CRM. The
 * service decides roles and activation, but a member who leaves the CRM is deactivated once. Reps claim the deals
 * they own in the CRM.
 */
export async function importCrmMembers(
  trx: Work,
  recalculate: Recalculate,
  workspaceId: string,
  provider: string,
  members: readonly Member[],
): Promise<ImportedMembers> {
  const people = members.flatMap((member) => {
    const address = email.safeParse(member.email ?? '');
    if (!address.success || !isStorable(member.crmId) || member.crmId.length > maxIdLength) return [];
    const avatar = member.avatar !== null && isStorable(member.avatar) ? member.avatar : null;
    return [{ ...member, avatar, email: address.data, name: nameOf(member, address.data) }];
  });
  await lockPeople(trx, workspaceId);
  const stored = await findRepsBy(
    trx,
    workspaceId,
    people.map((one) => one.email),
    people.map((one) => one.crmId),
  );
  const left = await wereActiveInCrm(
    trx,
    workspaceId,
    people.filter((one) => !one.active).map((one) => one.crmId),
  );
  const byCrmMember = await findMembers(
    trx,
    workspaceId,
    provider,
    people.map((one) => one.crmId),
  );
  const plan = planImport(people, { stored, byCrmMember, left }, await countHeads(trx, workspaceId));
  await updateReps(trx, workspaceId, plan.changed);
  await insertReps(trx, workspaceId, plan.fresh);
  await linkMembers(trx, workspaceId, provider, plan.links);
  await saveMembers(trx, workspaceId, provider, plan.members);
  await endSessions(
    trx,
    workspaceId,
    plan.changed.filter((rep) => !rep.active).map((rep) => rep.repId),
  );
  const claimants = await claimUnresolvedDeals(trx, workspaceId, plan.claiming);
  await recalculate.reps(claimants, 'rep_change');
  return {
    repIds: plan.members.map((member) => member.repId),
    created: plan.fresh.length,
    unusable: members.length - people.length,
    withoutSeat: plan.withoutSeat,
  };
}

const maxIdLength = 200;

type Person = Member & { readonly email: string };

interface Plan {
  readonly fresh: readonly StoredRep[];
  readonly changed: readonly StoredRep[];
  /** The reps, each with the new member id, whose deals without an owner are to be claimed. */
  readonly claiming: readonly StoredRep[];
  readonly members: readonly { readonly crmId: string; readonly repId: string }[];
  readonly links: readonly { readonly repId: string; readonly avatar: string | null; readonly active: boolean }[];
  readonly withoutSeat: number;
}

interface CurrentReps {
  /** The reps with the member id or the address of an imported member. */
  readonly stored: readonly StoredRep[];
  /** By member id. */
  readonly byCrmMember: ReadonlyMap<string, StoredRep>;
  readonly left: ReadonlySet<string>;
}

function planImport(people: readonly Person[], current: CurrentReps, heads: Headcount): Plan {
  const importing = new MemberImport(current, heads);
  for (const person of people) importing.add(person);
  return importing;
}

/** Decides person by person. Earlier people of the same import take seats and addresses. */
class MemberImport implements Plan {
  readonly fresh: StoredRep[] = [];
  readonly changed: StoredRep[] = [];
  readonly claiming: StoredRep[] = [];
  readonly members: { crmId: string; repId: string }[] = [];
  readonly links: { repId: string; avatar: string | null; active: boolean }[] = [];
  withoutSeat = 0;
  private readonly byMember: ReadonlyMap<string, StoredRep>;
  private readonly byEmail: Map<string, StoredRep>;
  private readonly importedIds = new Set<string>();
  private reps: number;
  private admins: number;

  constructor(
    private readonly current: CurrentReps,
    private readonly heads: Headcount,
  ) {
    const { stored } = current;
    this.byMember = new Map(stored.flatMap((rep) => (rep.crmMemberId === null ? [] : [[rep.crmMemberId, rep]])));
    this.byEmail = new Map(stored.map((rep) => [rep.email, rep]));
    ({ reps: this.reps, admins: this.admins } = heads);
  }

  add(person: Person): void {
    const { crmId, email } = person;
    const rep = this.byMember.get(crmId) ?? this.current.byCrmMember.get(crmId) ?? this.byEmail.get(email);
    if (rep === undefined) return this.create(person);
    // Of two members with the same address, the first becomes the rep.
    if (this.importedIds.has(rep.repId)) return;
    this.update(rep, person);
  }

  private create(person: Person): void {
    const isSeated = hasSeat({ ...this.heads, reps: this.reps });
    if (person.active && isSeated) this.reps += 1;
    if (person.active && !isSeated) this.withoutSeat += 1;
    const rep = newRep(person, person.active && isSeated);
    this.fresh.push(rep);
    this.claiming.push(rep);
    this.byEmail.set(rep.email, rep);
    this.record(person, rep);
  }

  private update(rep: StoredRep, person: Person): void {
    const leaves = this.leaves(rep, person);
    if (leaves && rep.role === 'admin') this.admins -= 1;
    const { name, crmId } = person;
    const next = { ...rep, name, active: rep.active && !leaves, crmMemberId: rep.crmMemberId ?? crmId };
    if (!this.current.byCrmMember.has(crmId)) this.claiming.push({ ...next, crmMemberId: crmId });
    if (next.name !== rep.name || next.active !== rep.active || next.crmMemberId !== rep.crmMemberId)
      this.changed.push(next);
    this.record(person, next);
  }

  /** Whether the rep is deactivated because the person left the CRM. The last admin stays active. */
  private leaves(rep: StoredRep, person: Person): boolean {
    const isLastAdmin = rep.role === 'admin' && this.admins === 1;
    return rep.active && this.current.left.has(person.crmId) && !isLastAdmin;
  }

  private record({ crmId, avatar, active }: Person, { repId, crmMemberId }: StoredRep): void {
    this.importedIds.add(repId);
    this.members.push({ crmId, repId });
    if (crmMemberId === crmId) this.links.push({ repId, avatar, active });
  }
}

function newRep({ email, name, crmId }: Person, active: boolean): StoredRep {
  return { repId: newId(), email, name, role: 'rep', active, crmMemberId: crmId, payrollId: null };
}

function nameOf({ name }: Member, address: string): string {
  return [...name.replace(/\p{Cc}/gu, ' ').trim()].slice(0, 200).join('') || address;
}
