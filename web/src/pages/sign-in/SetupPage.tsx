import { useEffect, useState } from 'react';
import { api, basePath } from '../../api/client.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useAttempt } from '../../app/use-attempt.js';
import { Button } from '../../components/Button.js';
import { Choice, TextField } from '../../components/Field.js';
import { currencyChoices, timeZoneChoices } from '../../shared/format/regions.js';
import { Problem } from './LoginPage.js';
import styles from './SignIn.module.css';
import { SignInFrame } from './SignInFrame.js';

const fields = [
  { name: 'name', label: 'Name of the company', type: 'text', autoComplete: 'organization' },
  { name: 'adminName', label: 'Your name', type: 'text', autoComplete: 'name' },
  { name: 'adminEmail', label: 'Your e-mail address', type: 'email', autoComplete: 'email' },
] as const;

type Entered = Record<(typeof fields)[number]['name'] | 'currency' | 'timezone', string>;

/** Creates the first workspace and its first admin, with the link that the terminal shows. */
export function SetupPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const {
    values: entered,
    change,
    clear,
    field,
  } = usePersistedForm<Entered>('set-up', {
    name: '',
    adminName: '',
    adminEmail: '',
    currency: 'USD',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const { isBusy, problem, run } = useAttempt();
  useEffect(() => {
    document.title = 'Set up · Commissions';
    window.history.replaceState(null, '', window.location.pathname);
  }, []);
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    run(async () => {
      await api.setUpWorkspace({ body: { token, ...entered } });
      clear();
      window.location.assign(`${basePath}/`);
    });
  };
  return (
    <SignInFrame title="Set up your workspace">
      <p className={styles.text}>You become its first admin. All of this can be changed later.</p>
      <form className={styles.form} onSubmit={submit}>
        {fields.map(({ name, label, type, autoComplete }) => (
          <TextField
            key={name}
            label={label}
            type={type}
            name={name}
            autoComplete={autoComplete}
            required
            value={entered[name]}
            onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
          />
        ))}
        <Choice label="Currency" choices={currencyChoices(entered.currency)} {...field('currency')} />
        <Choice label="Time zone" choices={timeZoneChoices(entered.timezone)} {...field('timezone')} />
        <Problem text={problem} />
        <Button type="submit" kind="primary" size="final" className={styles.submit} isBusy={isBusy}>
          Create workspace
        </Button>
      </form>
    </SignInFrame>
  );
}
