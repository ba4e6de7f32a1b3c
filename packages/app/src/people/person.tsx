// A person: avatar, description, whether the keys were compared, and actions.
import type { VNode } from 'preact'
import type { PersonDetail } from '../contract/objects.ts'
import { call, useView } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { shortNameOf } from '../parts/avatar/face.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { RemovalOptions } from '../parts/dialogs/removal-options.tsx'
import { Button } from '../parts/fields/button.tsx'
import { copyText } from '../parts/fields/clipboard.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { Option, OptionGroup } from '../parts/menus/option.tsx'
import { Page, PageSection } from '../parts/page.tsx'
import { BotLabel } from '../parts/text/bot-label.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import { RichText } from '../parts/text/rich-text.tsx'
import { fromHere, go } from '../router.ts'
import './person.css'
import { peopleWords } from './words.ts'
import '../parts/icons/with-lazy-icons.ts'

/** The chat may have been deleted. With a member of a group there may never have been one, and a new one is a request. */
async function write({ id, name }: PersonDetail): Promise<void> {
  const w = peopleWords.value
  const whenHere = fromHere()
  const { isThere } = await call('showChat', { chat: id })
  if (!isThere) {
    const who = shortNameOf(name)
    const question = { title: w.beginTitle(who), text: w.beginText(who), yes: w.begin, icon: 'message-circle' } as const
    if (!(await confirm(question))) return
    await call('beginChat', { account: id })
  }
  whenHere(() => go({ screen: 'chat', chat: id }))
}

export function Person({ account }: { account: string }): VNode {
  const w = peopleWords.value
  const person = useView('person', account).value
  return (
    <Page
      title={w.info}
      foot={
        person && (
          <Button icon="message-circle" onClick={() => write(person)}>
            {w.write}
          </Button>
        )
      }
    >
      {person && person.id === account && <Inside person={person} />}
    </Page>
  )
}

const Inside = ({ person }: { person: PersonDetail }): VNode => (
  <>
    <Head person={person} />
    <Keys person={person} />
    <Media account={person.id} />
    {person.bot && person.commands.length > 0 && <Commands person={person} />}
    {person.groups.length > 0 && <Groups person={person} />}
    <Blocking person={person} />
    <Removal account={person.id} />
  </>
)

function Head({ person }: { person: PersonDetail }): VNode {
  const w = peopleWords.value
  return (
    <div class="person-head">
      <Avatar id={person.id} name={person.name} bot={person.bot} avatar={person.avatar} size="xl" />
      <h2 class="person-name">
        <NameText name={person.name} isWhole />
        {person.bot && <BotLabel />}
      </h2>
      {person.verified && (
        <span class="person-mark">
          <Icon name="shield-check" size={16} />
          {w.verified}
        </span>
      )}
      {person.blocked && (
        <span class="person-mark person-mark-blocked">
          <Icon name="ban" size={16} />
          {w.blocked}
        </span>
      )}
      {person.about && (
        <p class="person-about">
          <RichText text={person.about} />
        </p>
      )}
    </div>
  )
}

function Keys({ person }: { person: PersonDetail }): VNode {
  const w = peopleWords.value
  return (
    <OptionGroup>
      {person.bot && <Option icon="eye" title={w.botOwner} />}
      <Option
        icon="shield-check"
        title={person.bot ? w.botLink : w.verify}
        text={person.bot ? undefined : person.verified ? w.verifiedText : w.verifyText}
        leads="next"
        onClick={() => go({ screen: 'verify', account: person.id })}
      />
      <Option icon="hash" title={w.hex} text={person.id} onClick={() => begin(copyText(person.id))} />
    </OptionGroup>
  )
}

/** For a person with whom there is a chat. */
function Media({ account }: { account: string }): VNode | null {
  const chat = useView('chat', account).value
  if (!chat) return null
  const open = () => go({ screen: 'media', chat: chat.id })
  return <Option icon="image" title={peopleWords.value.media} leads="next" onClick={open} />
}

const Commands = ({ person }: { person: PersonDetail }): VNode => (
  <>
    <PageSection title={peopleWords.value.botCommands} />
    <OptionGroup>
      {person.commands.map(({ name, description, args }) => (
        <Option key={name} title={args ? `/${name} ${args}` : `/${name}`} text={description} />
      ))}
    </OptionGroup>
  </>
)

const Groups = ({ person }: { person: PersonDetail }): VNode => (
  <>
    <PageSection title={peopleWords.value.groups} />
    <OptionGroup>
      {person.groups.map(({ id, name }) => (
        <Option
          key={id}
          face={<Avatar id={id} name={name} size="s" />}
          title={name}
          leads="next"
          onClick={() => go({ screen: 'chat', chat: id })}
        />
      ))}
    </OptionGroup>
  </>
)

async function block({ id, name }: PersonDetail): Promise<void> {
  const w = peopleWords.value
  const question = {
    title: w.blockTitle(shortNameOf(name)),
    text: w.blockText,
    yes: w.block,
    tone: 'danger',
    icon: 'ban',
  } as const
  if (await confirm(question)) await call('block', { account: id })
}

/** Only where there is a chat with that person. */
function Removal({ account }: { account: string }): VNode | null {
  const chat = useView('chat', account).value
  return chat ? <RemovalOptions chat={chat} /> : null
}

function Blocking({ person }: { person: PersonDetail }): VNode {
  const w = peopleWords.value
  return person.blocked ? (
    <Button kind="plain" onClick={() => call('unblock', { account: person.id })}>
      {w.unblock}
    </Button>
  ) : (
    <Option icon="ban" danger title={w.block} onClick={() => begin(block(person))} />
  )
}
