import { Notifications } from '@mantine/notifications';
import styles from './Messages.module.css';

/** Short messages, where they cover neither a heading nor a control: below, above the bars of the page. */
export function Messages() {
  return <Notifications position="bottom-center" containerWidth={360} className={styles.messages} />;
}
