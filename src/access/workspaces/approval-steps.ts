import { z } from 'zod';
import { type Issue } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { text } from '../../platform/operations/schemas.js';

const role = z.enum(['admin', 'manager']).describe('Everyone with the role, other than the rep');
const repId = z.string().toLowerCase().refine(isUuid, 'must be an id (UUID)').describe('Id of the person (UUID)');
const people = z.array(repId).min(1).max(50).describe('These managers and admins, by id (UUID), other than the rep');

const byRole = z.strictObject({ role }).describe('Everyone with a role');
const byName = z.strictObject({ repIds: people }).describe('People by name');

/** People by their role or by name. */
export const namedSigners = z.union([byRole, byName]).describe('People by their role or by name');

/** Who signs a step. */
const signers = z
  .union([
    z
      .strictObject({ manager_of_rep: z.literal(true).describe('Always true') })
      .describe('The manager of the rep on the last day of the period'),
    z
      .strictObject({ level: z.int().min(1).max(20).describe('How many levels above; 1 is their manager') })
      .describe('The n-th manager above the rep on the last day of the period'),
    byRole,
    byName,
    z
      .strictObject({ rep: z.literal(true).describe('Always true') })
      .describe('The consent of the rep; only as the first or the last step'),
  ])
  .describe('Who signs the step: one of them is enough');

const limit = z.number().min(0).max(1e12);
const approvalStep = z
  .strictObject({
    name: text(100).describe('Name of the step, unique in the chain'),
    by: signers,
    minPayable: limit
      .optional()
      .describe(
        'The step is skipped for statements that pay less, in the currency of the statement; equal is not less',
      ),
    minChange: limit
      .optional()
      .describe(
        'A signature also counts for a later version with all lines unchanged that were signed, if the total differs by at most this; 0 by default',
      ),
    dueDays: z.int().min(1).max(365).optional().describe('Days after which the step is overdue'),
    escalateTo: namedSigners.optional().describe('Who may also sign after twice `dueDays`'),
  })
  .describe('A step');
export type ApprovalStep = z.output<typeof approvalStep>;
/** A step as the workspace stores it. */
export interface StoredStep extends ApprovalStep {
  /** Instant of the last change of this step or one before it. Absent for chains that are older than this field. */
  readonly since?: string;
}
export type Signers = ApprovalStep['by'] | NonNullable<ApprovalStep['escalateTo']>;

export const approvalSteps = z
  .array(approvalStep)
  .min(1)
  .max(8)
  .superRefine((steps, context) => {
    for (const { path, message } of findIssues(steps)) context.addIssue({ code: 'custom', path: [path], message });
  })
  .describe('Who signs a statement, in this order, before it is approved');

export function isConsent({ by }: ApprovalStep): boolean {
  return 'rep' in by;
}

function findIssues(steps: readonly ApprovalStep[]): Issue[] {
  const issues = steps.flatMap((step, index) =>
    findIssuesOf(step, index, steps).map((message) => ({ path: String(index), message })),
  );
  if (steps.filter(isConsent).length > 1) issues.push({ path: '0', message: 'the rep consents once' });
  if (steps.every((step) => isConsent(step) || step.minPayable !== undefined))
    issues.push({ path: '0', message: 'one step of a person other than the rep must have no minPayable' });
  return issues;
}

function findIssuesOf(step: ApprovalStep, index: number, steps: readonly ApprovalStep[]): string[] {
  const { name, escalateTo, dueDays, minPayable } = step;
  const first = steps.findIndex((other) => other.name.toLowerCase() === name.toLowerCase());
  const issues: string[] = [];
  if (first < index) issues.push(`has the name of another step: ${name}`);
  if (escalateTo !== undefined && dueDays === undefined) issues.push('needs dueDays for escalateTo');
  if (!isConsent(step)) return issues;
  if (index > 0 && index < steps.length - 1)
    issues.push('is the consent of the rep, which is the first or the last step');
  if (minPayable !== undefined || escalateTo !== undefined)
    issues.push('is the consent of the rep, which has neither minPayable nor escalateTo');
  return issues;
}
