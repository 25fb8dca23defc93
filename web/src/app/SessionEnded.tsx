import { Button } from '../components/Button.js';
import { InfoDialog } from '../components/InfoDialog.js';
import { signInAgain } from './session.js';

/** The session has expired: the page stays as it is until the person signs in again. */
export function SessionEnded() {
  return (
    <InfoDialog onClose={() => undefined} isClosable={false} title="Your session has ended">
      <p>Sessions end after twelve hours without use. Sign in again to continue on this page.</p>
      <p style={{ marginTop: 16 }}>
        <Button kind="primary" size="final" onClick={signInAgain}>
          Sign in
        </Button>
      </p>
    </InfoDialog>
  );
}
