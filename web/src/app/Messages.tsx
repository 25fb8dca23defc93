import { Notifications } from '@mantine/notifications';
import styles from './Messages.module.css';

/** Short messages, over the navigation: the actions of dialogs and of the page's bars are at the right. */
export function Messages() {
  return <Notifications position="bottom-left" containerWidth={320} className={styles.messages} />;
}
