import { z } from 'zod';
import { type Caller, maySee, roles, seesTeam, visibleReps } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { text } from '../platform/schemas.js';

/** Normalizes an address, so that every spelling finds the same rep. */
export function normalEmail(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

export const email = z
  .string()
  .max(1000)
  .transform(normalEmail)
  .pipe(z.string().max(254).regex(z.regexes.html5Email, 'must be an e-mail address'));

/** The rep's identifier in the payroll system. */
export const payrollId = text(50).nullable();

export const rep = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(roles),
  active: z.boolean(),
  crmMemberId: z.string().nullable(),
  avatar: z.string().nullable(),
  invite_status: z.enum(['invited', 'accepted']).nullable(),
  payrollId: z.string().nullable(),
  managerId: z.string().nullable(),
});
export type Rep = z.infer<typeof rep>;

/** Whether the caller is a connection token, which sees no payroll data. */
export function readsAsWidget(caller: Caller): boolean {
  return caller.accessLevel === 'connection';
}

/** The reps that a list is restricted to; null means everyone. */
export function narrowedReps(caller: Caller, repId: string | undefined): readonly string[] | null {
  if (repId !== undefined && !maySee(caller, repId)) throw notYours();
  if (repId === undefined && !seesTeam(caller) && caller.repId === null) throw notYours();
  return repId === undefined ? visibleReps(caller) : [repId];
}

export function notYours(): Failure {
  return new Failure('forbidden', 'You may see only your own data.');
}

export function repNotFound(repIds?: readonly string[]): Failure {
  if (repIds === undefined || repIds.length === 0)
    return new Failure('rep_not_found', 'There is no such rep in this workspace.');
  return new Failure('rep_not_found', `There is no rep ${repIds[0]} in this workspace.`, { repIds });
}

export const repExample = {
  id: sampleIds.repId,
  email: 'ben@acme.test',
  name: 'Ben',
  role: 'rep',
  active: true,
  crmMemberId: 'ben',
  avatar: null,
  invite_status: 'accepted',
  payrollId: '004711',
  managerId: sampleIds.managerId,
};
