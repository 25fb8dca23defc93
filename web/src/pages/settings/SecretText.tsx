import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { Button } from '../../components/Button.js';
import styles from './Settings.module.css';

/** A text that is shown once, to be copied. */
export function SecretText({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div>
      <p className="strong">{label}</p>
      <div className={styles.secret}>
        <code>{text}</code>
        <Button
          icon={IconCopy}
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            setCopied(true);
          }}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </div>
  );
}
