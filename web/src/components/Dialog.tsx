import { Modal } from '@mantine/core';
import { useState } from 'react';
import { type Change } from '../api/change.js';
import { describeError } from '../api/describe-error.js';
import { type PersistedForm } from '../app/persisted-state.js';
import { Button, type ButtonProps } from './Button.js';
import styles from './Dialog.module.css';
import { useReturnFocus } from './return-focus.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
  /** The button at the right. */
  readonly action: Pick<ButtonProps, 'kind' | 'icon' | 'isBusy' | 'disabled' | 'children'>;
  readonly onSubmit: () => void;
  /** The write that the form sends: the action is busy meanwhile, and its error stays in the dialog. */
  readonly change?: Pick<Change, 'isBusy' | 'error'>;
  /** What else is wrong, in words. */
  readonly problem?: string | null;
  /** What was entered. Nothing can be sent before something is; closing the dialog asks before it is lost. */
  readonly form?: Pick<PersistedForm<unknown>, 'isChanged' | 'clear'>;
  /** The values with which the form opens can be sent: they neither change nor delete what is stored by mistake. */
  readonly canSendUnchanged?: boolean;
  /** Width in pixels. */
  readonly size?: number;
}

/** A form or a confirmation over the page: what will happen, Cancel, and one action. `Enter` in a field submits it. */
export function Dialog(props: DialogProps) {
  const {
    title,
    onClose,
    children,
    action,
    onSubmit,
    change,
    problem = null,
    form,
    canSendUnchanged = false,
    size = 480,
  } = props;
  const [isLeaving, setLeaving] = useState(false);
  useReturnFocus();
  const discard = () => {
    form?.clear();
    onClose();
  };
  const leave = () => {
    if (isLeaving) setLeaving(false);
    else if (form?.isChanged === true) setLeaving(true);
    else discard();
  };
  const isDangerous = action.kind === 'danger';
  const disabled = action.disabled === true || (form?.isChanged === false && !canSendUnchanged);
  const message = change?.error == null ? problem : describeError(change.error).message;
  // Mantine's own header would be a second banner of the page.
  return (
    <Modal.Root opened onClose={leave} centered size={size} closeOnClickOutside={form?.isChanged !== true}>
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body className={styles.body}>
          <h2 className={styles.title}>{title}</h2>
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              onSubmit();
            }}
          >
            {children}
            {message === null ? null : (
              <p role="alert" className={styles.problem}>
                {message}
              </p>
            )}
            {isLeaving ? (
              <Discard onKeep={() => setLeaving(false)} onDiscard={discard} />
            ) : (
              <div className={styles.actions}>
                <Button
                  size="final"
                  onClick={leave}
                  data-autofocus={isDangerous && form === undefined ? true : undefined}
                >
                  Cancel
                </Button>
                <Submit
                  action={{ ...action, disabled }}
                  isBusy={change?.isBusy === true}
                  isFirst={!isDangerous && form === undefined}
                />
              </div>
            )}
          </form>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

interface SubmitProps extends Pick<DialogProps, 'action'> {
  readonly isBusy: boolean;
  /** Whether the dialog opens with the focus on it. */
  readonly isFirst: boolean;
}

/**
 * A confirmation starts with the focus on its action, or on Cancel if the action deletes or withdraws something, and a
 * form on its first field.
 */
function Submit({ action: { kind = 'primary', isBusy: isActing = false, ...rest }, isBusy, isFirst }: SubmitProps) {
  return (
    <Button
      type="submit"
      size="final"
      kind={kind}
      {...rest}
      isBusy={isBusy || isActing}
      data-autofocus={isFirst ? true : undefined}
    />
  );
}

interface DiscardProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

function Discard({ onKeep, onDiscard }: DiscardProps) {
  return (
    <div className={styles.actions} role="alert">
      <p className={styles.question}>Discard what you entered?</p>
      <Button size="final" onClick={onKeep} autoFocus>
        Keep editing
      </Button>
      <Button size="final" kind="danger" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}
