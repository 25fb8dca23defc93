import { z } from 'zod';
import { recovery } from '../../access/workspaces/workspace.js';
import { fields } from '../../api/resource-fields.js';
import { type Caller, maySee, roles, seesTeam, visibleReps } from '../../kernel/caller.js';
import { comparableText } from '../../kernel/comparable-text.js';
import { Failure } from '../../kernel/failure.js';
import { withoutInvisible } from '../../kernel/invisible-characters.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { text } from '../../platform/operations/schemas.js';

/** Normalizes an address, so that every spelling finds the same rep. */
export function normalEmail(text: string): string {
  return comparableText(text);
}

export const email = z
  .string()
  .max(1000)
  .transform(normalEmail)
  .pipe(z.string().max(254).regex(z.regexes.html5Email, 'must be an e-mail address'));

/** The rep's identifier in the payroll system. */
export const payrollId = text(50)
  .refine((id) => withoutInvisible(id) === id, 'contains invisible characters')
  .nullable()
  .describe('Id of the rep in the payroll system, which no other rep has; null for none');

const payCurrencies = z
  .array(
    z
      .object({
        from: z.string().describe('First day, YYYY-MM-DD'),
        currency: z.string().nullable().describe('Currency, ISO 4217 code; null for the one that the rep earns in'),
      })
      .describe('A currency and since when the rep is paid in it'),
  )
  .describe('In which currency the rep is paid, the earliest day first; absent for the one that the rep earns in');

export const rep = z
  .object({
    id: fields.repId,
    email: fields.email,
    name: z.string().describe('Name of the rep'),
    role: z.enum(roles).describe('Role of the rep'),
    active: z
      .boolean()
      .describe(
        'Whether the rep may sign in. Statements of an inactive rep are generated only for periods with amounts',
      ),
    crmMemberId: z
      .string()
      .nullable()
      .describe('Id of the rep in the CRM, by which deals find their owner; null for none'),
    avatar: z.string().nullable().describe('URL of a picture; null for none'),
    invite_status: z
      .enum(['invited', 'accepted'])
      .nullable()
      .describe('Whether the rep was invited and has signed in since; null if not invited'),
    inviteMail: z
      .enum(['sending', 'sent', 'not_sent'])
      .nullable()
      .describe(
        'The mail of an invitation that is not accepted: not_sent without a mail server, or until a failed attempt succeeds. Null without one',
      ),
    payrollId: z.string().nullable().describe('Id of the rep in the payroll system; null for none'),
    title: z.string().nullable().describe('Job title; null for none'),
    team: z.string().nullable().describe('Name of the team; null for none'),
    location: z.string().nullable().describe('Office, city or region; null for none'),
    fields: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .optional()
      .describe('Values of the fields that the workspace defines, by slug; absent for none'),
    managerId: z.string().nullable().describe('Id of the manager today (UUID); null for none'),
    nextManager: z
      .object({
        managerId: z.string().nullable().describe('Id of the manager from that day on (UUID); null for none'),
        from: z.string().describe('First day of the change, YYYY-MM-DD'),
      })
      .optional()
      .describe('The next planned change of the manager; absent if none is planned'),
    hireDate: z.string().nullable().describe('First day of employment, YYYY-MM-DD; null if not entered'),
    endDate: z.string().nullable().describe('Last day of employment, YYYY-MM-DD; null for none'),
    recovery: recovery.optional(),
    payCurrencies: payCurrencies.optional(),
  })
  .describe('A person who earns commission. Managers are reps too');
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

/** The listed reps whom the caller may see; null for everyone. */
export function visibleAmong(
  visible: readonly string[] | null,
  listed: readonly string[] | undefined,
): readonly string[] | null {
  if (listed === undefined || visible === null) return listed ?? visible;
  const seen = new Set(visible);
  return listed.filter((repId) => seen.has(repId));
}

/** Rejects a caller who may see neither the named rep nor, without a name, the team. */
export function assertSeesRepOrTeam(caller: Caller, repId: string | undefined, teamMessage: string): void {
  if (repId === undefined && !seesTeam(caller)) throw new Failure('forbidden', teamMessage);
  if (repId !== undefined && !maySee(caller, repId)) throw notYours();
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
  inviteMail: null,
  payrollId: '004711',
  title: 'Account Executive',
  team: 'North',
  location: 'Berlin',
  managerId: sampleIds.managerId,
  hireDate: '2026-01-01',
  endDate: null,
};

/** A rep's id in a query parameter. Text that is not a UUID is accepted here and results in rep_not_found. */
export const repIdQuery = z.string().trim().min(1, 'must not be empty').max(200).toLowerCase();
