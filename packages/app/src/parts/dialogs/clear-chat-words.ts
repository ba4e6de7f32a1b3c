// The texts before a history is cleared or a chat is deleted: fetched with the question.
import { inLanguages } from '../../i18n/language.ts'

export const clearChatWords = inLanguages({
  en: {
    clearAsk: 'Clear the history?',
    clearText:
      'All messages and files of this chat are removed from this device, and so is everything that was not sent yet.',
    othersKeep: 'The others keep their copies and are not notified.',
    backupKeeps: 'A backup that you made before still contains them.',
    clear: 'Clear',
    deleteAsk: 'Delete the chat?',
    deletePrivate:
      'The chat and all its messages and files are removed from this device. It comes back with the next message.',
    deleteLeft: 'The chat and all its messages and files are removed from this device.',
    deleteGroup:
      'You leave the group, and the others see that. The chat and all its messages and files are removed from this device.',
    delete: 'Delete',
    leaveAndDelete: 'Leave and delete',
  },
  ru: {
    clearAsk: 'Очистить историю?',
    clearText: 'Все сообщения и файлы этого чата будут удалены с этого устройства, и неотправленные тоже.',
    othersKeep: 'У других всё останется, и они об этом не узнают.',
    backupKeeps: 'В резервной копии, сделанной раньше, всё это сохранится.',
    clear: 'Очистить',
    deleteAsk: 'Удалить чат?',
    deletePrivate:
      'Чат, все его сообщения и файлы будут удалены с этого устройства. Со следующим сообщением чат появится снова.',
    deleteLeft: 'Чат, все его сообщения и файлы будут удалены с этого устройства.',
    deleteGroup:
      'Вы выйдете из группы, и другие это увидят. Чат, все его сообщения и файлы будут удалены с этого устройства.',
    delete: 'Удалить',
    leaveAndDelete: 'Выйти и удалить',
  },
})
