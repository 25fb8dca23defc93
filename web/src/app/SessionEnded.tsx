import blocks from '../components/Blocks.module.css';
import { Button } from '../components/Button.js';
import { InfoDialog } from '../components/InfoDialog.js';
import { signInAgain } from './session.js';

/** The session has expired: the page stays as it is until the person signs in again. */
export function SessionEnded() {
  return (
    <InfoDialog onClose={() => undefined} isClosable={false} title="Your session has ended">
      <div className={blocks.stack}>
        <p>Sessions end after twelve hours without use. Sign in again to continue on this page.</p>
        <div>
          <Button kind="primary" size="final" onClick={signInAgain}>
            Sign in
          </Button>
        </div>
      </div>
    </InfoDialog>
  );
}
