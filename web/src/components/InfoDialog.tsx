import { Modal } from '@mantine/core';
import styles from './InfoDialog.module.css';
import { useReturnFocus } from './return-focus.js';

interface InfoDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: number;
  /** Whether the person can close it without a decision. Default: true. */
  readonly isClosable?: boolean;
  readonly children: React.ReactNode;
}

/** A dialog over the page: the focus stays in it, Escape closes it, and the focus returns. */
export function InfoDialog({ title, onClose, size = 440, isClosable = true, children }: InfoDialogProps) {
  useReturnFocus();
  return (
    <Modal.Root
      opened
      onClose={onClose}
      size={size}
      centered
      closeOnEscape={isClosable}
      closeOnClickOutside={isClosable}
      // A class of the content itself would apply to the layer that covers the window too.
      classNames={{ content: styles.content }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={styles.head}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
          {isClosable ? <Modal.CloseButton aria-label="Close" /> : null}
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
