// The part of the console's script that lists and removes hooks.

export const HOOKS_SCRIPT = `async function showHooks() {
  const hooks = await get('v1/hooks').catch(fault => {
    if (fault.status === 404) return undefined
    throw fault
  })
  at('dry').hidden = hooks === undefined
  at('make').hidden = hooks === undefined
  at('hooks-state').textContent =
    hooks === undefined ? 'Hooks are off. HOOKS_URL turns them on.' : hooks.length === 0 ? 'There is no hook yet.' : ''
  const rows = (hooks ?? []).map(hookRow)
  const shown = at('hooks')
  // Rows that stay keep the focus of their button.
  for (const row of [...shown.children]) if (!rows.includes(row)) row.remove()
  for (const row of rows) if (row.parentNode !== shown) shown.append(row)
}

function hookRow(hook) {
  const id = 'hook-' + hook.id
  const row = at(id) ?? newHookRow(id, hook.id)
  const last = hook.last_result === undefined ? 'never used' : hook.last_result + ', ' + new Date(hook.last_ts).toLocaleString()
  const words = [hook.format, hook.id, nameOf(hook.chat_id), last, hook.last_error].filter(Boolean).join(' · ')
  if (row.firstChild.textContent !== words) row.firstChild.textContent = words
  row.firstChild.className = hook.last_error === undefined ? '' : 'bad'
  return row
}

/** Removing takes two presses: its sender would get an error from then on. */
function newHookRow(id, hook) {
  const [row, words, remove] = ['li', 'span', 'button'].map(tag => document.createElement(tag))
  const label = text => {
    remove.textContent = text
    remove.setAttribute('aria-label', text + ' ' + hook)
  }
  row.id = id
  remove.type = 'button'
  label('Remove')
  remove.addEventListener('blur', () => label('Remove'))
  remove.addEventListener('click', () => {
    if (remove.textContent === 'Remove') return label('Really remove')
    ask('v1/hooks/' + hook, { method: 'DELETE' }).then(showHooks).catch(faultIn('made'))
  })
  row.append(words, remove)
  return row
}
`
