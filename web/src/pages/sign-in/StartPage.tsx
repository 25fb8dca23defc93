import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, basePath } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { Problem } from './LoginPage.js';
import styles from './SignIn.module.css';
import { SignInFrame } from './SignInFrame.js';

/** Signs in with a link of the terminal. Its token is in the fragment, so it is sent only by this page and only once. */
export function StartPage() {
  const [problem, setProblem] = useState<string | null>(null);
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    document.title = 'Sign in · Commissions';
    const token = window.location.hash.slice(1);
    window.history.replaceState(null, '', window.location.pathname);
    api
      .openStartLink({ body: { token } })
      .then(() => window.location.replace(`${basePath}/`))
      .catch((error: unknown) => setProblem(describeError(error).message));
  }, []);
  return (
    <SignInFrame title={problem === null ? 'Signing in' : 'This link does not work'}>
      <Problem text={problem} />
      {problem === null ? null : (
        <p className={styles.below}>
          <Link to="/login">Sign in with your e-mail address</Link>
        </p>
      )}
    </SignInFrame>
  );
}
