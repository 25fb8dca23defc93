import { type PersonField } from '../../access/workspaces/workspace-tables.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { isStorable } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { text } from '../../platform/operations/schemas.js';
import { isReadByTables } from './dated-value-views.js';
import { countHeads, type Headcount, hasSeat } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { type FieldValue, type FieldValues, readFieldValue } from './person-field.js';
import { listPersonFields } from './person-field-views.js';
import { isSameProfile, noProfile } from './profile.js';
import { email } from './rep.js';
import {
  activeInOtherCrms,
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

export interface Member {
  readonly crmId: string;
  readonly email: string | null;
  readonly name: string;
  readonly avatar: string | null;
  readonly active: boolean;
  /** Names of the teams of the person; absent in a CRM without them. */
  readonly teams?: readonly string[];
  /** Values by the CRM's name of the field; absent in a CRM without fields of people. */
  readonly values?: Readonly<Record<string, string | number>>;
}

interface ImportedMembers {
  readonly repIds: readonly string[];
  readonly created: number;
  /** Members without a valid e-mail address or member id, which are not imported. */
  readonly unusable: number;
  /** New reps who are inactive because the tier has no seat for them. */
  readonly withoutSeat: number;
}

/**
 * Imports the members of a CRM as reps, matched by member id, then by e-mail. All members with one address are one
 * rep. Names and pictures follow the CRM, which also
 * fills in a team, and values of fields, that are missing. The service decides roles and activation, but a person none of
 * whose members is active any more is deactivated once. Reps claim the deals that their members own in the CRM.
 */
export async function importCrmMembers(
  tx: Transaction,
  recalculate: Recalculate,
  provider: string,
  members: readonly Member[],
): Promise<ImportedMembers> {
  const people = members.flatMap((member) => {
    const parsed = email.safeParse(member.email ?? '');
    if (!parsed.success || !isStorable(member.crmId) || member.crmId.length > maxIdLength) return [];
    const avatar = member.avatar !== null && isStorable(member.avatar) ? member.avatar : null;
    return [{ ...member, avatar, email: parsed.data, name: toName(member, parsed.data) }];
  });
  await lockPeople(tx);
  const crmIds = people.map((person) => person.crmId);
  const stored = await findRepsBy(
    tx,
    people.map((person) => person.email),
    crmIds,
  );
  const current: CurrentReps = {
    stored,
    byCrmMember: await findMembers(tx, provider, crmIds),
    wereActive: await wereActiveInCrm(tx, provider, crmIds),
    activeElsewhere: await activeInOtherCrms(tx, provider),
    fields: people.some(({ values }) => values !== undefined) ? await listPersonFields(tx) : [],
  };
  const plan = new MemberImport(current, await countHeads(tx));
  for (const person of plan.groupByPerson(people)) plan.add(person);
  await updateReps(tx, plan.changed);
  await insertReps(tx, plan.fresh);
  const teams = new Map(stored.map(({ repId, team }) => [repId, team]));
  const moved = plan.changed.filter(({ repId, team }) => teams.has(repId) && teams.get(repId) !== team);
  if (moved.length > 0 && (await isReadByTables(tx, ['team'])))
    await recalculate.reps(
      moved.map(({ repId }) => repId),
      'person',
    );
  await linkMembers(tx, provider, plan.links);
  await saveMembers(tx, provider, plan.members);
  await endSessions(
    tx,
    plan.changed.filter((rep) => !rep.active).map((rep) => rep.repId),
  );
  const claimants = await claimUnresolvedDeals(tx, plan.claiming);
  await recalculate.reps(claimants, 'rep_change');
  if (plan.claiming.length > 0) await recalculate.namedPeople();
  return {
    repIds: [...new Set(plan.members.map((member) => member.repId))],
    created: plan.fresh.length,
    unusable: members.length - people.length,
    withoutSeat: plan.withoutSeat,
  };
}

const maxIdLength = 200;

type ValidMember = Member & { readonly email: string };

/** The members of one person, and the rep, if there is one already. */
interface Person {
  readonly rep: StoredRep | undefined;
  readonly members: readonly ValidMember[];
}

interface CurrentReps {
  /** The reps with the member id or the address of an imported member. */
  readonly stored: readonly StoredRep[];
  readonly byCrmMember: ReadonlyMap<string, StoredRep>;
  /** Reps with an imported member who was active at the last import. */
  readonly wereActive: ReadonlySet<string>;
  /** Reps with an active member in another CRM that is connected. */
  readonly activeElsewhere: ReadonlySet<string>;
  /** The fields of people that the workspace defines. */
  readonly fields: readonly PersonField[];
}

/** Decides person by person. Earlier people of the same import take seats. */
class MemberImport {
  readonly fresh: StoredRep[] = [];
  readonly changed: StoredRep[] = [];
  /** The reps, each with a new member id, whose deals without an owner are to be claimed. */
  readonly claiming: StoredRep[] = [];
  readonly members: { crmId: string; repId: string; active: boolean }[] = [];
  readonly links: { repId: string; avatar: string | null; active: boolean }[] = [];
  withoutSeat = 0;
  private reps: number;
  private admins: number;

  constructor(
    private readonly current: CurrentReps,
    private readonly heads: Headcount,
  ) {
    ({ reps: this.reps, admins: this.admins } = heads);
  }

  /** Members of one rep, or with one address, are one person. */
  groupByPerson(members: readonly ValidMember[]): Person[] {
    const { stored, byCrmMember } = this.current;
    const byMember = new Map(stored.flatMap((rep) => (rep.crmMemberId === null ? [] : [[rep.crmMemberId, rep]])));
    const byEmail = new Map(stored.map((rep) => [rep.email, rep]));
    const findRep = ({ crmId, email: parsed }: ValidMember) =>
      byMember.get(crmId) ?? byCrmMember.get(crmId) ?? byEmail.get(parsed);
    return [...groupBy(members, (member) => findRep(member)?.repId ?? member.email).values()].map((ofPerson) => ({
      rep: findRep(ofPerson[0] as ValidMember),
      members: ofPerson,
    }));
  }

  add({ rep, members }: Person): void {
    // An active member gives the name and the picture, if there is one.
    const lead = members.find((member) => member.active) ?? (members[0] as ValidMember);
    if (rep === undefined) this.create(lead, members);
    else this.update(rep, lead, members);
  }

  private create(lead: ValidMember, members: readonly ValidMember[]): void {
    const isSeated = hasSeat({ ...this.heads, reps: this.reps });
    if (lead.active && isSeated) this.reps += 1;
    if (lead.active && !isSeated) this.withoutSeat += 1;
    const rep = { ...newRep(lead, lead.active && isSeated), fields: this.filledIn(lead, {}) };
    this.fresh.push(rep);
    this.record(rep, lead, members);
  }

  private update(rep: StoredRep, lead: ValidMember, members: readonly ValidMember[]): void {
    const leaves = this.leaves(rep, lead);
    if (leaves && rep.role === 'admin') this.admins -= 1;
    const crmMemberId = rep.crmMemberId ?? lead.crmId;
    const next = {
      ...rep,
      name: lead.name,
      active: rep.active && !leaves,
      crmMemberId,
      team: rep.team ?? teamOf(lead),
      fields: this.filledIn(lead, rep.fields),
    };
    if (!isSameMember(next, rep)) this.changed.push(next);
    this.record(next, lead, members);
  }

  /** The values with those of the CRM that are missing and fit the field. */
  private filledIn({ values = {} }: Member, known: FieldValues): FieldValues {
    const filled: Record<string, FieldValue> = { ...known };
    const byName = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
    for (const field of this.current.fields) {
      const crmValue = byName.get(field.crmField?.toLowerCase() ?? '');
      if (crmValue === undefined || Object.hasOwn(known, field.slug)) continue;
      const read = readFieldValue(field, crmValue);
      if ('value' in read) filled[field.slug] = read.value;
    }
    return filled;
  }

  /** Whether the rep is deactivated because the person left the CRM. The last admin stays active. */
  private leaves(rep: StoredRep, lead: ValidMember): boolean {
    const { wereActive, activeElsewhere } = this.current;
    const isLastAdmin = rep.role === 'admin' && this.admins === 1;
    const hasLeft = !lead.active && wereActive.has(rep.repId) && !activeElsewhere.has(rep.repId);
    return rep.active && hasLeft && !isLastAdmin;
  }

  private record(rep: StoredRep, { avatar, active }: ValidMember, members: readonly ValidMember[]): void {
    const { repId, crmMemberId } = rep;
    for (const member of members) {
      this.members.push({ crmId: member.crmId, repId, active: member.active });
      if (!this.current.byCrmMember.has(member.crmId)) this.claiming.push({ ...rep, crmMemberId: member.crmId });
    }
    if (members.some(({ crmId }) => crmId === crmMemberId)) this.links.push({ repId, avatar, active });
  }
}

function newRep(lead: ValidMember, active: boolean): StoredRep {
  const { email, name, crmId } = lead;
  const profile = { ...noProfile, team: teamOf(lead) };
  return { repId: newId(), email, name, role: 'rep', active, crmMemberId: crmId, payrollId: null, ...profile };
}

/** The first team in the CRM. A team that is stored already stays: a person or a file may have corrected it. */
function teamOf({ teams = [] }: Member): string | null {
  const read = text(200).safeParse(teams[0]);
  return read.success ? read.data : null;
}

function isSameMember(a: StoredRep, b: StoredRep): boolean {
  return a.name === b.name && a.active === b.active && a.crmMemberId === b.crmMemberId && isSameProfile(a, b);
}

function toName({ name }: Member, parsed: string): string {
  return [...name.replace(/\p{Cc}/gu, ' ').trim()].slice(0, 200).join('') || parsed;
}
