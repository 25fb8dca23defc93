import { type ApprovalStep } from '../../features/approvals/chain-words.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';

/** Who signs a step, as the form offers it. */
const signerChoices = [
  ['manager_of_rep', 'the manager of the rep'],
  ['level', 'the manager one level higher'],
  ['manager', 'any manager'],
  ['admin', 'any admin'],
  ['people', 'these people'],
  ['rep', 'the rep'],
] as const;
type SignerKind = (typeof signerChoices)[number][0];

/** The choices of a step, of which one is the level that is stored. */
export function signerChoicesOf({ by }: EnteredStep): readonly (readonly [SignerKind, string])[] {
  return signerChoices.map(([kind, words]) => [
    kind,
    kind === 'level' && by !== null && 'level' in by && by.level > 2
      ? `the manager ${by.level - 1} levels higher`
      : words,
  ]);
}

/** A step as the form has it, with texts. */
export interface EnteredStep {
  readonly name: string;
  readonly kind: SignerKind;
  readonly repIds: readonly string[];
  readonly minPayable: string;
  readonly minChange: string;
  readonly dueDays: string;
  /** Who may also sign when it is long overdue; people as they are stored. */
  readonly escalateTo: '' | 'manager' | 'admin' | 'people';
  /** What is stored, which is sent again while the choice is the same. */
  readonly by: ApprovalStep['by'] | null;
  readonly escalation: ApprovalStep['escalateTo'] | null;
}

export const newStep: EnteredStep = {
  name: '',
  kind: 'manager_of_rep',
  repIds: [],
  minPayable: '',
  minChange: '',
  dueDays: '',
  escalateTo: '',
  by: null,
  escalation: null,
};

export function toEnteredSteps(steps: readonly ApprovalStep[]): readonly EnteredStep[] {
  return steps.map(({ name, by, minPayable, minChange, dueDays, escalateTo }) => ({
    name,
    kind: kindOf(by),
    repIds: 'repIds' in by ? by.repIds : [],
    minPayable: writeNumber(minPayable),
    minChange: writeNumber(minChange),
    dueDays: writeNumber(dueDays),
    escalateTo: escalationKind(escalateTo),
    by,
    escalation: escalateTo ?? null,
  }));
}

function escalationKind(escalateTo: ApprovalStep['escalateTo']): EnteredStep['escalateTo'] {
  if (escalateTo === undefined) return '';
  return 'role' in escalateTo ? escalateTo.role : 'people';
}

function kindOf(by: ApprovalStep['by']): SignerKind {
  if ('role' in by) return by.role;
  if ('repIds' in by) return 'people';
  if ('rep' in by) return 'rep';
  return 'level' in by && by.level > 1 ? 'level' : 'manager_of_rep';
}

/** What is sent; null while a step is incomplete. */
export function readSteps(entered: readonly EnteredStep[]): ApprovalStep[] | null {
  const steps = entered.map(readStep);
  return steps.every((step) => step !== null) ? (steps as ApprovalStep[]) : null;
}

/** The form offers neither a limit nor an escalation for the consent of the rep; what was entered before is left out. */
function withoutHidden(step: EnteredStep): EnteredStep {
  return step.kind === 'rep' ? { ...step, minPayable: '', escalateTo: '' } : step;
}

function readStep(entered: EnteredStep): ApprovalStep | null {
  const step = withoutHidden(entered);
  const { name, kind, repIds, minPayable, minChange, dueDays } = step;
  const numbers = { minPayable, minChange, dueDays };
  const read = Object.entries(numbers).map(
    ([key, text]) => [key, text.trim() === '' ? undefined : readNumber(text)] as const,
  );
  if (name.trim() === '' || read.some(([, value]) => value === null) || (kind === 'people' && repIds.length === 0))
    return null;
  const values = Object.fromEntries(read.filter(([, value]) => value !== undefined));
  const escalateTo = values['dueDays'] === undefined ? null : toEscalation(step);
  return {
    name: name.trim(),
    by: toSigners(step),
    ...values,
    ...(escalateTo === null ? {} : { escalateTo }),
  };
}

function toEscalation({ escalateTo, escalation }: EnteredStep): NonNullable<ApprovalStep['escalateTo']> | null {
  if (escalateTo === '') return null;
  return escalateTo === 'people' ? (escalation ?? null) : { role: escalateTo };
}

function toSigners({ kind, repIds, by }: EnteredStep): ApprovalStep['by'] {
  if (by !== null && kind !== 'people' && kindOf(by) === kind) return by;
  if (kind === 'manager_of_rep') return { manager_of_rep: true };
  if (kind === 'level') return { level: 2 };
  if (kind === 'rep') return { rep: true };
  return kind === 'people' ? { repIds: [...repIds] } : { role: kind };
}
