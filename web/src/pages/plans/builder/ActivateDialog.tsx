import { useState } from 'react';
import { useSession } from '../../../app/session.js';
import { Dialog } from '../../../components/Dialog.js';
import { CheckField } from '../../../components/Field.js';
import { describeError } from '../../../components/States.js';
import { formatDay } from '../../../format/dates.js';
import { differencesOf } from '../../../plans/differences.js';
import styles from './Builder.module.css';
import { PreviewEffect, type PreviewState } from './PreviewBar.js';
import { type Builder } from './use-builder.js';
import { useSave } from './use-save.js';

interface ActivateDialogProps {
  readonly builder: Builder;
  readonly state: PreviewState;
  readonly onClose: () => void;
}

/** What activation changes, in words and in money, before it happens. */
export function ActivateDialog({ builder, state: { preview, isRunning }, onClose }: ActivateDialogProps) {
  const { workspace } = useSession();
  const { plan, draft, saved, isChanged } = builder;
  const [isForced, setForced] = useState(false);
  const save = useSave(builder);
  const isFailing = preview?.testsPassed === false;
  const differences = saved === null ? [] : differencesOf(saved, draft, workspace.currency);
  const from =
    draft.effectiveStart === null ? 'every day' : `the days from ${formatDay(draft.effectiveStart, 'long')} on`;
  return (
    <Dialog
      title={`Activate ${draft.name}`}
      onClose={onClose}
      onSubmit={() => save.mutate({ status: 'active', force: isForced }, { onSuccess: onClose })}
      action={{
        isBusy: save.isPending,
        disabled: (isFailing && !isForced) || (plan !== null && isRunning),
        children: 'Activate',
      }}
      problem={save.error === null ? null : describeError(save.error).message}
    >
      <p>
        {plan === null ? 'The plan' : isChanged ? 'The changed version' : `Version ${plan.version}`} pays on {from}.
      </p>
      {differences.length === 0 ? null : (
        <ul className={styles.differences}>
          {differences.map((difference) => (
            <li key={difference}>{difference}</li>
          ))}
        </ul>
      )}
      {plan === null ? (
        <p className="dim">No person is on the plan yet. It pays from the day on which you assign people.</p>
      ) : preview === undefined ? (
        <p className="dim">The effect is being calculated …</p>
      ) : (
        <p className={styles.effect}>
          It <PreviewEffect preview={preview} />.
        </p>
      )}
      {(preview?.warnings ?? []).map(({ message }) => (
        <p key={message} className={styles.warning}>
          {message}
        </p>
      ))}
      {isFailing ? (
        <CheckField
          label="Activate although a test fails"
          hint="The audit log says so."
          checked={isForced}
          onChange={({ currentTarget }) => setForced(currentTarget.checked)}
        />
      ) : null}
    </Dialog>
  );
}
