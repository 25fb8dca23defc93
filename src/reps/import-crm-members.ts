import { newId } from '../kernel/ids.js';
import { type Recalculate } from '../ledger/recalculate.js';
import { isStorable } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { countHeads, hasSeat } from './headcount.js';
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

function planImport(
  people: readonly Person[],
  { stored, byCrmMember: members, left }: CurrentReps,
  heads: Parameters<typeof hasSeat>[0],
): Plan {
  const byMember = new Map(
    stored.flatMap((rep) => (rep.crmMemberId === null ? [] : [[rep.crmMemberId, rep] as const])),
  );
  const byEmail = new Map(stored.map((rep) => [rep.email, rep]));
  const importedIds = new Set<string>();
  const plan = { fresh: [] as StoredRep[], changed: [] as StoredRep[], claiming: [] as StoredRep[] };
  const imported: { crmId: string; repId: string }[] = [];
  const links: { repId: string; avatar: string | null; active: boolean }[] = [];
  let { reps, admins } = heads;
  let withoutSeat = 0;
  for (const person of people) {
    const current = byMember.get(person.crmId) ?? members.get(person.crmId) ?? byEmail.get(person.email);
    if (current === undefined) {
      const seated = hasSeat({ ...heads, reps });
      if (person.active && seated) reps += 1;
      if (person.active && !seated) withoutSeat += 1;
      const rep = newRep(person, person.active && seated);
      plan.fresh.push(rep);
      plan.claiming.push(rep);
      imported.push({ crmId: person.crmId, repId: rep.repId });
      byEmail.set(rep.email, rep);
      importedIds.add(rep.repId);
      links.push({ repId: rep.repId, avatar: person.avatar, active: person.active });
      continue;
    }
    // Of two members with the same address, the first becomes the rep.
    if (importedIds.has(current.repId)) continue;
    importedIds.add(current.repId);
    const lastAdmin = current.role === 'admin' && admins === 1;
    const leaves = current.active && left.has(person.crmId) && !lastAdmin;
    if (leaves && current.role === 'admin') admins -= 1;
    const next = {
      ...current,
      name: person.name,
      active: current.active && !leaves,
      crmMemberId: current.crmMemberId ?? person.crmId,
    };
    imported.push({ crmId: person.crmId, repId: next.repId });
    if (!members.has(person.crmId)) plan.claiming.push({ ...next, crmMemberId: person.crmId });
    if (next.name !== current.name || next.active !== current.active || next.crmMemberId !== current.crmMemberId)
      plan.changed.push(next);
    if (next.crmMemberId === person.crmId)
      links.push({ repId: next.repId, avatar: person.avatar, active: person.active });
  }
  return { ...plan, links, members: imported, withoutSeat };
}

function newRep({ email, name, crmId }: Person, active: boolean): StoredRep {
  return { repId: newId(), email, name, role: 'rep', active, crmMemberId: crmId, payrollId: null };
}

function nameOf({ name }: Member, address: string): string {
  return [...name.replace(/\p{Cc}/gu, ' ').trim()].slice(0, 200).join('') || address;
}
