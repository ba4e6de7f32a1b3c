// Says in one sentence that the app cannot run, where its own script cannot: a browser of 2015 understands this file.
;(function () {
  var isRussian = /^ru/i.test(navigator.language || '')
  var old = isRussian
    ? [
        'Этот браузер не подходит для Postern',
        'Он слишком старый. Откройте эту страницу в свежем Chrome, Edge, Firefox или Safari.',
      ]
    : [
        'Postern does not work in this browser',
        'It is too old. Open this page in a current version of Chrome, Edge, Firefox or Safari.',
      ]
  var unloaded = isRussian
    ? ['Postern не загрузился', 'Проверьте соединение и перезагрузите страницу. Ваши данные сохранены.']
    : ['Postern could not be loaded', 'Check your connection and reload the page. Your messages are safe.']

  function say(words) {
    var root = document.getElementById('app')
    // The app has its own sentences as soon as it shows anything.
    if (!root || root.firstChild) return
    var main = document.createElement('main')
    main.style.maxWidth = '26em'
    main.style.margin = '20vh auto 0'
    main.style.padding = '0 1em'
    main.style.textAlign = 'center'
    var title = document.createElement('h1')
    title.style.fontSize = '1.4em'
    title.textContent = words[0]
    var text = document.createElement('p')
    text.textContent = words[1]
    main.appendChild(title)
    main.appendChild(text)
    root.appendChild(main)
    document.documentElement.lang = isRussian ? 'ru' : 'en'
  }

  // A script that is not fetched is the element's error; one that is not understood, or fails at its start, is the page's.
  addEventListener(
    'error',
    function (event) {
      if (event.target === window) say(old)
      else if (event.target.tagName === 'SCRIPT') say(unloaded)
    },
    true,
  )
  if (!('noModule' in document.createElement('script'))) say(old)
})()
