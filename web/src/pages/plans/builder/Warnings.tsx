import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { ApiError } from '#src/client.js';
import { type Plan } from '../../../api/queries.js';
import { Button } from '../../../components/Button.js';
import { Note } from '../../../components/Note.js';
import { type Draft } from '../../../features/plans/draft.js';
import { formatInstant } from '../../../shared/format/dates.js';
import { plainMessage } from '../../../shared/format/plain-message.js';
import styles from './Builder.module.css';
import { type PreviewState } from './PreviewBar.js';
import { type Builder } from './use-builder.js';

interface WarningsProps {
  readonly builder: Builder;
  readonly history: readonly Plan[];
  readonly state: PreviewState;
}

/** What a person should know before they save: other people's versions, mistakes, and consequences. */
export function Warnings({ builder, history, state: { preview, error } }: WarningsProps) {
  const issues = listIssues(error);
  const warnings = preview?.warnings ?? [];
  const dropped = preview?.overridesDropped ?? [];
  return (
    <div className={styles.warnings}>
      <NewerVersion builder={builder} history={history} />
      {issues.map((issue) => (
        <Note
          key={`${issue.path} ${issue.message}`}
          tone="negative"
          icon={IconAlertTriangle}
          title={placeWords(issue.path, builder.draft)}
        >
          {plainMessage(issue.message)}
        </Note>
      ))}
      {warnings.map(({ path, message }) => (
        <Note key={path + message} tone="warning" icon={IconAlertTriangle} title={placeWords(path, builder.draft)}>
          {plainMessage(message)}
        </Note>
      ))}
      {dropped.length === 0 ? null : (
        <Note tone="warning" icon={IconAlertTriangle} title="Individual terms end">
          {[...new Set(dropped.map(({ repName, ruleName }) => `${repName} (${ruleName})`))].join(', ')}
        </Note>
      )}
    </div>
  );
}

/** Someone else saved a version after the draft was begun. */
function NewerVersion({ builder: { base, isChanged, rebase }, history }: Pick<WarningsProps, 'builder' | 'history'>) {
  const [newest] = history;
  if (newest === undefined || base === null || newest.version <= base.latest) return null;
  if (!isChanged) return null;
  return (
    <Note
      tone="info"
      icon={IconInfoCircle}
      title={`Version ${newest.version} was saved ${formatInstant(newest.createdAt)} by someone else`}
      actions={
        <>
          <Button onClick={() => rebase(newest, false)}>Use version {newest.version}</Button>
          <Button onClick={() => rebase(newest, true)}>Keep mine</Button>
        </>
      }
    >
      Your changes are based on version {base.version}. Nothing of either is lost until you choose.
    </Note>
  );
}

interface Issue {
  readonly path: string;
  readonly message: string;
}

function listIssues(error: unknown): readonly Issue[] {
  const issues = error instanceof ApiError ? error.details?.['issues'] : undefined;
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}

/** The place of an issue in words: config.rules.0.tiers.1 is a tier of the first rule. */
function placeWords(path: string, { terms }: Draft): string {
  const rule = /^config\.rules\.(\d+)(?:\.tiers\.(\d+))?/.exec(path);
  if (rule !== null) {
    const name = terms.rules[Number(rule[1])]?.name ?? 'A rule';
    return rule[2] === undefined ? name : `${name}, tier ${Number(rule[2]) + 1}`;
  }
  return path.startsWith('config.dealConditions') ? 'Conditions of the plan' : 'The plan';
}
