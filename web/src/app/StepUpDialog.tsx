import { useState } from 'react';
import { api } from '../api/client.js';
import { LinkButton } from '../components/Button.js';
import { Dialog } from '../components/Dialog.js';
import { OtpInput } from '../components/OtpInput.js';
import { useSession } from './session.js';
import { closeDialog } from './step-up.js';
import { useAttempt } from './use-attempt.js';

/** Asks for a new code from an e-mail, and then sends the waiting requests again. */
export function StepUpDialog() {
  const { email, workspace } = useSession();
  const [nonce, setNonce] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const { isBusy, problem, run } = useAttempt();
  const send = () =>
    run(async () => {
      const sent = await api.sendCode({ body: { email: email ?? '', workspaceId: workspace.workspaceId } });
      setNonce(sent.nonce);
      setCode('');
    });
  const confirm = (entered: string, sentNonce: string) =>
    run(async () => {
      await api.confirmSession({ body: { code: entered, nonce: sentNonce } });
      closeDialog(true);
    });
  return (
    <Dialog
      title="Confirm that it is you"
      onClose={() => closeDialog(false)}
      onSubmit={() => (nonce === null ? send() : confirm(code, nonce))}
      change={{ isBusy, error: null }}
      problem={problem}
      action={nonce === null ? { children: 'Send code' } : { children: 'Confirm', disabled: code.length < 6 }}
    >
      {nonce === null ? (
        <p>
          Your last sign-in is too long ago for this. A code is sent to <b>{email}</b>.
        </p>
      ) : (
        <>
          <p id="step-up-hint">
            Six digits are on their way to <b>{email}</b>. They work for ten minutes.
          </p>
          <OtpInput
            value={code}
            onChange={setCode}
            onComplete={(entered) => confirm(entered, nonce)}
            describedBy="step-up-hint"
          />
          <div>
            <LinkButton disabled={isBusy} onClick={send}>
              Send again
            </LinkButton>
          </div>
        </>
      )}
    </Dialog>
  );
}
