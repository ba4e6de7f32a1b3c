// Methods about the bot itself: its profile and its commands.
import type { Parameters } from '../parameters.ts'
import type { MethodInput } from '../telegram-context.ts'
import type { Method, MethodParts, Methods } from './method.ts'

const changed = (field: 'name' | 'about', parameter: string, note: string): Method => ({
  fits: 'partly',
  note,
  run: async ({ parameters }, { context }) => {
    const text = parameters.text(parameter) ?? ''
    if (field === 'about' || text !== '') await context.call('changeMe', { body: { [field]: text } })
    return true
  },
})

const commandsOf = (parameters: Parameters): object[] =>
  (parameters.objects('commands') ?? []).map(command => ({
    name: command.need('command').replace(/^\//, ''),
    description: command.text('description') ?? '',
  }))

async function getMe(_: MethodInput, { views }: MethodParts): Promise<object> {
  return {
    ...(await views.me()),
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
  }
}

const aboutNote = 'The bot has one description: `setMyDescription` and `setMyShortDescription` set the same.'

export const botMethods: Methods = {
  getMe: {
    fits: 'full',
    note: "`username` is made of the Latin letters of the bot's name. A bot reads all messages of its groups.",
    run: getMe,
  },
  setMyCommands: {
    fits: 'partly',
    note: 'One list for everybody: scopes and languages are ignored.',
    run: async ({ parameters }, { context }) => {
      await context.call('setCommands', { body: { commands: commandsOf(parameters) } })
      return true
    },
  },
  getMyCommands: {
    fits: 'full',
    note: '',
    run: (_, { context }) =>
      context.client.identity.me().commands.map(({ name, description }) => ({ command: name, description })),
  },
  deleteMyCommands: {
    fits: 'partly',
    note: 'As setMyCommands.',
    run: async (_, { context }) => {
      await context.call('setCommands', { body: { commands: [] } })
      return true
    },
  },
  setMyName: changed('name', 'name', 'Languages are ignored; an empty name changes nothing.'),
  getMyName: { fits: 'full', note: '', run: (_, { context }) => ({ name: context.client.identity.me().name }) },
  setMyDescription: changed('about', 'description', aboutNote),
  getMyDescription: {
    fits: 'full',
    note: '',
    run: (_, { context }) => ({ description: context.client.identity.me().about }),
  },
  setMyShortDescription: changed('about', 'short_description', aboutNote),
  getMyShortDescription: {
    fits: 'full',
    note: '',
    run: (_, { context }) => ({ short_description: context.client.identity.me().about }),
  },
  close: { fits: 'no effect', note: 'Answers `true`.', run: () => true },
  logOut: { fits: 'no effect', note: 'Answers `true`.', run: () => true },
}
