import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { copyText } from '../../app/clipboard.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import styles from './Settings.module.css';

/** A text to be copied, such as a secret that is shown once. */
export function SecretText({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div>
      <p className="strong">{label}</p>
      <div className={styles.secret}>
        <code>{text}</code>
        <Button icon={IconCopy} onClick={async () => setCopied(await copyText(text))}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </div>
  );
}

interface SecretDialogProps {
  readonly label: string;
  /** Null while there is none to show. */
  readonly secret: string | null;
  readonly onClose: () => void;
}

/** A new secret, which the service cannot show again. */
export function SecretDialog({ label, secret, onClose }: SecretDialogProps) {
  if (secret === null) return null;
  return (
    <InfoDialog title="Copy it now" size={560} onClose={onClose}>
      <div className={blocks.stack}>
        <SecretText label={label} text={secret} />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </InfoDialog>
  );
}
