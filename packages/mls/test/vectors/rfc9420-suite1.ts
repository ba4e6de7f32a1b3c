// Known answers for RFC 9420, cipher suite 1: some cases of the working group's test vectors.
// Source: github.com/mlswg/mls-implementations, folder test-vectors: crypto-basics.json (commit 78a6cfc9),
// secret-tree.json (42d003dd), key-schedule.json (60dd6f90), message-protection.json (f25fcc5d).

export const cryptoBasics = {
  deriveSecret: {
    label: 'DeriveSecret',
    secret: '51bcdc853b2fffd6c0ce55953e99ce3f47c1135a35154422e71b313a088e5925',
    out: 'fd12ac470b9a57a72290f77d437f28afabb7b4ef80b22c362aa7aa6dea9eeaf0',
  },
  deriveTreeSecret: {
    label: 'DeriveTreeSecret',
    secret: '7620af0827ddd6506a20fe3716458f48fd89715d1396ee578eff0750dd1ab926',
    generation: 2_694_881_440,
    length: 32,
    out: 'f85fe97705982d10dbead53c4f83318479c2211e994bcf1ba615f0d8f66d6016',
  },
  expandWithLabel: {
    label: 'ExpandWithLabel',
    secret: '5c96b1772964bd54abf1a8d04d3bf699a7fe7b8fd631caf33a0440f699843e3e',
    context: '9492c562f40b5b40d7bc1da471e9532fee88371ef86f2fc85f0f2a4dc7e9ae81',
    length: 16,
    out: 'c7dfff34de8da81aa8dd85828ad05344',
  },
  refHash: {
    label: 'RefHash',
    value: 'd322a8468c26e37b1f0f6664e91c1b81f0c3ba87ff1903604426d512e2451d6f',
    out: 'a00d38eb47333e317599170dfbe420cbc542d7e615d27861935bc4200ccb6daa',
  },
  signWithLabel: {
    label: 'SignWithLabel',
    secretKey: '6db310bb3cb063f3fc498e048dbd33885b260a7ee606c8ebd5231d2258b6e572',
    publicKey: 'fa69d57b300537d17953e7292ceff3dd3a6b0284d1e5aa5bc35db01dd9ce78a4',
    content: 'ac833a785a00dc0a8e4d777d7b37ad403a33916334306730d4ce2e359e49169c',
    signature:
      '8227e8cb94513227ebca109f6846c1c2d2952e11871e46bb571a9b0173e9cca9a1937e6855183e4059669167908a36614bad713f914766f5d7ea8393c995d009',
  },
  encryptWithLabel: {
    label: 'EncryptWithLabel',
    secretKey: 'aa986a7941001bf2f509c54d8f61a5b419c8a0ff02634cf1ccea35b56c8fb002',
    publicKey: 'f2119826071a8cd92fe6132a091252d8adcff4adb2e4c9ce3013a171a812fc72',
    context: '86a8fab1597b2d3fc1498464259eb50852a36f5554589c747f2d6c1fbc67c3d4',
    kemOutput: 'fde840e33c794491db60c2c20e26738b8756b045b33f44bf93b5551fdffbdc5c',
    ciphertext: '9fa3af0beaef151947d8af1a45cbc940181cc901d1437d7fc85e4dcb38a3273e730d414abee7eba789a5a55dbbce4cc7',
    plaintext: 'dce54bc43e1bee8c4a9f6224ee9959d171c379c43d05383861307d3e52469a3f',
  },
}

/** Keys and nonces at generation 15; a row is application key, application nonce, handshake key, handshake nonce. */
export const secretTrees = [
  {
    encryptionSecret: '98e17a91f59669d7a64bcfa706e3fe5c0bf0973c807c8aead326cc4dc368da1d',
    senderDataSecret: '530eb44c6d216b3ecd6c9043fe4bae2b0ca46411bc27914e5519eb8eb352d43a',
    ciphertext:
      '7fb6d93ee3e4ed5fe44b129fd73ae4b528feef3ed71c918a32be983f67d577ec186ec726b0d42fab07aa1485a00c0a2c402a023a6037074eea3f6dbf84c62245316261cd15f4d3cde7f6264e4d',
    senderDataKey: 'dc0a4a17f3fcebae06c56b25448aef95',
    senderDataNonce: 'ebda7c8d58ce2b2c95024570',
    generation: 15,
    leaves: [
      [
        'd4f7ae974e8814bfb9f5afd60d691f74',
        'cd8d974348c3d739ae028726',
        '245bb77d170c9152f5093e436d76807c',
        '7259803ca33e47c942976c58',
      ],
    ],
  },
  {
    encryptionSecret: '01d0e99e8944f05e1ffba9c55a924aa3263fc2f736804ca6e18abebd9cfcf2a0',
    senderDataSecret: '7e38bcb38d60f0429dd21e3d2c0f946393aa48d94ca50dccd26b26024aaeaf17',
    ciphertext:
      '404a67a40161a5002a00a2f756c2af62b4b162d569c34d7649b36cd1f4e3b23416644ed0cbcbdfcfa6bcc457df9ee871e7a1c0ef2944bab5bece1a2ed3f94287b9839be19af38af9c22ea73635',
    senderDataKey: '451be7498f6c8475d2d14f5c2622b41f',
    senderDataNonce: 'f604e6e95af3536e722fc18d',
    generation: 15,
    leaves: [
      [
        '2295064552a7c387bcb2902876f1a6cb',
        '4dd0a464188d522c50211d59',
        '8e82d0c1ad6f44ac65465658be9365f4',
        '78f0edef08fc96cb6a030e42',
      ],
      [
        '050797446b57dee6f65ab058c586361d',
        '0e90ef617ec811be9095a5e3',
        '5714795d8279239141e01bfdb63c6404',
        '31077f7aad0ed140d18b45de',
      ],
      [
        'e06ee1036ef9def83ed595330229ed16',
        'c8935bbc3bfe84c33eb592b0',
        '9dd7f19524d431a40d100312bb458f5f',
        '6245d997cf6b6b01e9c3377f',
      ],
      [
        '5c320aae2c63e85e0d194e100ef66544',
        'f951662097832dd16803f2c6',
        '5bcb0fb1deaaf4c28497a15dfc89caf9',
        'e837fcd2dd4e5088a30ad3c1',
      ],
      [
        'bf3ad394725b5a8500a0ac8556636ae6',
        '07a6c47aec1d857ce53c0aad',
        'f55bbd7b4e6bffbf301505ac059d84ba',
        '31f597f79c446e641bcd8c70',
      ],
      [
        'db89784513adda38ad11616f59a2cb39',
        '0c567d9da0696e172222c4f8',
        '6eeacee4bf60ece22e2f25149cd80705',
        'ff08c7690d8732948ca21f74',
      ],
      [
        '11dd16c68132a356b4d6c316fbf15adf',
        'f01456a51b0cc78dce850977',
        'aab3051b872a6f79a4956e554754842d',
        'c727e1696d40757b43d493fd',
      ],
      [
        '2116b494a35045ac65489e0474bfa028',
        '476ed52dbd106234e854a47e',
        '06aaa2796346525ff90d138ee3d368f7',
        '618b50f5b50cf25c4ae08338',
      ],
    ],
  },
]

/** Without the exporter's value: in the stored version it still follows a draft's label. */
export const keySchedule = {
  groupId: 'ee415c0b5adda6d9d81706cffb733a35',
  initSecret: '9344d74b4a874edd48ab8d6d7ffae6c098b104d0748f0bbeeb9b24f5e29d28b9',
  epochs: [
    {
      treeHash: 'c5fa9927ff000150c49ac028a6be55a6fa4e80d4b6ef561767c6ff12e306967b',
      commitSecret: '715e27cef059d8482d3d39ddb6bede39caedaddf41446d3ba515b95f85252703',
      pskSecret: '9a1408e6816accaa928e4081121aa076f7e6aa7fee78e91e0b76b98c786f9b4f',
      confirmedTranscriptHash: '39cb042542c9ed52307554bf77d8e704f9f1d882e9cce03b95f1b9e96f1968e2',
      joinerSecret: 'fc294c28b68ea9cbdbc5cfe8ee957f668186837d8b6be772df89e3606858756e',
      welcomeSecret: '75b54d6213eeda31b4ca656a5c5804a865430f5677fc156bef86a834a97f7e65',
      encryptionSecret: 'd87cb44fe09b1e8f74a4dad01c3930902ed61db710e0e56e7f0891710ef20270',
      keys: {
        initSecret: '6c890af57d11b034c5d8ceb941ef417fc3f09b57b3003ea22710b7267e8094a4',
        senderDataSecret: '962301510b806d677e5e40d91e3c24a91fc7505d469419c7d509dfa41addc32f',
        exporterSecret: 'f103b0240ba06e398031575a9b9087c677277765d626aa3dd5b7eafd35a6a47b',
        epochAuthenticator: '74c3e7b084da632eb40c304db7686446ad385df82cc85ec16e22253e9b3076a0',
        externalSecret: 'e5d449aea32d04b3939222f1c65119df7f704ba0b2bc9bb305b2114f0e8dee2d',
        confirmationKey: '0bd414d3182aa4d5475be8a4c612851a3fd072c79ba8fd3ddb690a16ed703309',
        membershipKey: '5b318bcd56831a478b9fd1753a451bf4f310ceb5c463b574a89a3256b777ba94',
        resumptionPsk: '6acc1c8c51e2e0fb14ee87400bfe078eccb0015129fa2624db85ab0073e08918',
      },
    },
    {
      treeHash: 'b72b8173d7f60cfb69195464b9f9b5bdc4244181dc51d582b0b2a458f084d6c6',
      commitSecret: '5ca64cb28f8d9208518193bdc99b908197058a4b12614936ec341fc9adbd899f',
      pskSecret: '0000000000000000000000000000000000000000000000000000000000000000',
      confirmedTranscriptHash: 'e97adf65a223f3e76145f3d1dbfbd55e0e30cd3915607b031209301d5abd2bd7',
      joinerSecret: '4dfb888923c0aec9c0d4b43f4a7054a4cb55cc16e39cc57e91966fe034f1993b',
      welcomeSecret: 'e9d861477a6f43dc426608c7619fee17bbee0a4b7c5d5fb24df32cd0b1ea41ff',
      encryptionSecret: '11a8d5f61b9923a8d50261fc5b91e7d1505dd6d73df0d78b2fa45039862d4609',
      keys: {
        initSecret: '004f4af4016d23a050ab3a0c95fb55b5fcf905419f12c77f4fe0d7caed373db4',
        senderDataSecret: '552b0129a9ab4ed6f36e419958ca3c3cd172f38a938d78d63816a23e8fc751cf',
        exporterSecret: 'f1e607bcbc29bef7f83adfde729789fd13434d467d932c05ff70b785356d5ea5',
        epochAuthenticator: '67fb5fa152acf1cf60b2818b574fc05ab79493c9db55a0daf08ca8092f9b0e7a',
        externalSecret: '51910260b3c0fcd26d6d09931a0ca28a98efcdd4e01f63226388304feffe0be9',
        confirmationKey: '35598f090c4e9f21072e0a486d3df302000ffb553745a3f9a9bad64c11512826',
        membershipKey: '778491f9ffd45eaacca9adc216f80b56a524101ca627f7070264706af43cbb80',
        resumptionPsk: '5ba5dfe8b12e7e4358bcb8665956ffb7469ab59f3a4ef564c6c37384e58b10d1',
      },
    },
  ],
}

export const messageProtection = {
  groupId: 'e1f2321a0d03b86091fb585f2079892c52a4ea9fba98f0e58f4070bc84cc1ed8',
  epoch: 1_184_274n,
  treeHash: '71dca112ff236c7db6177120935c06409e5aff09bdb182df1d2a6a375550fdd9',
  confirmedTranscriptHash: 'c78d6154a7cc026ba44edb26d7f0962243e8a073c1a627459481c072fb9a3647',
  signaturePublicKey: 'cad4fc381fe61822af45135c82921a348e6f46643d66ddefc70483565433714b',
  encryptionSecret: '53332f97465638e0d9a52ec6e6b9923e58ccf9ab8d7d8de0edbe0fac91a73514',
  senderDataSecret: 'd473f653f0bd125a260773ebccacc910530c35c99dced3f63fb55511ddde236b',
  confirmationTag: '535a7b7807678f9e60eebe144d506662cc5fa55e910deda29f564c0ffc145a34',
  senderLeaf: 1,
  application: '9d89e861367621c92f11b2188021da89f45c15b8e36fde494c0f313acd94d99257f0500bfa6b372cd79f',
  applicationMessage:
    '0001000220e1f2321a0d03b86091fb585f2079892c52a4ea9fba98f0e58f4070bc84cc1ed8000000000012121201001c947a0f37d15884f360bc4315b378d21ab3c342e2c49a91b98ef08b4e407d99c11119b3aac5ea08ecbaa66b95499af574d16baad06042f3e3179feef77a7bc098a3a40546068c3e976d61509de029993e3c712438dc96b6b256f014aca9a3a3943510eb69c26929d9a7e80e8d22f455e0dc1218268f15baa60764c144238e350c3694b85e8f4349d71494c913da5936523be0e662a29bc9cac29c56',
  commitMessage:
    '0001000220e1f2321a0d03b86091fb585f2079892c52a4ea9fba98f0e58f4070bc84cc1ed8000000000012121203001c6475d15ddc9d24485d9e3c6f19318cb3e9a687c62054ccb4f04c1efc40758ced4cc71456974806384e13f4c0d4caa1d3881c996fa4237b71ce7be7fe42104e6f260392baa51ee389573366d87dbc53b872e542268a62f3cd756f2138c43fa4e892b9fa38b32536a52f99ead8ffcf05d7670712511015cad3b8c4e88a640b41385e9fdc6d594b89f8fd60424086cd6374d67e87',
}
