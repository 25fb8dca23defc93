import { Modal } from '@mantine/core';
import { Button, type ButtonProps } from './Button.js';
import styles from './Dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
  /** The button at the right. */
  readonly action: Pick<ButtonProps, 'kind' | 'icon' | 'isBusy' | 'disabled' | 'children'>;
  readonly onSubmit: () => void;
  /** The error of the last attempt. */
  readonly problem?: string | null;
}

/** A form or a confirmation over the page: what will happen, Cancel, and one action. `Enter` in a field submits it. */
export function Dialog({ title, onClose, children, action, onSubmit, problem = null }: DialogProps) {
  const { kind = 'primary', ...rest } = action;
  // Mantine's own header would be a second banner of the page.
  return (
    <Modal.Root opened onClose={onClose} centered size={480}>
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
            {problem === null ? null : (
              <p role="alert" className={styles.problem}>
                {problem}
              </p>
            )}
            <div className={styles.actions}>
              <Button size="final" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" size="final" kind={kind} data-autofocus {...rest} />
            </div>
          </form>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
